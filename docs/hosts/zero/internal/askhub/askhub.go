// Package askhub has people on askhub answer what Zero's tool ask_user asks.
//
// In Zero it goes to internal/askhub, and is attached by one line:
//
//	options.OnAskUser = (&askhub.Hub{URL: url, Token: token, Run: sessionID}).OnAskUser
package askhub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/Gitlawb/zero/internal/agent"
)

const (
	// How long askhub holds one request, and how much later its connection counts as dead.
	wait  = 25 * time.Second
	slack = 10 * time.Second
	// How long asking and withdrawing may take, with the repeats.
	short = 5 * time.Second
	// How long a hub that was there may be away while it is waited for.
	away  = 2 * time.Minute
	pause = 500 * time.Millisecond
)

// Hub is where to ask.
type Hub struct {
	// URL of askhub, and the token of an agent.
	URL, Token string
	// Run tells the runs of the agent apart: ids of tool calls repeat from run to run.
	Run string
	// TimeLimit is how long people have; 0 is without limit. It ends in context.DeadlineExceeded, which stops the run.
	TimeLimit time.Duration
	// Client sends the requests; nil is a plain one.
	Client *http.Client
}

type call struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Outcome *struct {
		Reason  string `json:"reason"`
		Answers []struct {
			Selected []struct {
				Label string `json:"label"`
			} `json:"selected"`
			Custom string `json:"custom"`
		} `json:"answers"`
	} `json:"outcome"`
}

// OnAskUser asks and waits. When ctx ends it withdraws the question and returns ctx.Err(), which stops the run. Every
// other error says why nobody could be asked; Zero then goes on without an answer.
func (hub *Hub) OnAskUser(ctx context.Context, request agent.AskUserRequest) (agent.AskUserResponse, error) {
	var none agent.AskUserResponse
	if err := ctx.Err(); err != nil {
		return none, err
	}
	asked, err := hub.ask(request)
	if err == nil {
		asked, err = hub.settled(ctx, asked)
	}
	if err == nil && asked.Outcome == nil {
		err = errors.New("it answers unlike askhub")
	}
	if ctx.Err() != nil {
		hub.withdraw(asked.ID)
		return none, ctx.Err()
	}
	if err != nil {
		err = fmt.Errorf("askhub at %s: %w", hub.URL, err)
		fmt.Fprintln(os.Stderr, err)
		return none, err
	}
	switch asked.Status {
	case "answered":
		return agent.AskUserResponse{Answers: answers(asked)}, nil
	case "declined":
		return none, nil // To Zero that is a prompt without answers.
	case "cancelled":
		return none, context.Canceled
	}
	if asked.Outcome.Reason == "unattended" {
		return none, errors.New("nobody could be reached")
	}
	return none, context.DeadlineExceeded
}

// Not under the run's context: whether the question was taken must be known, to withdraw it.
func (hub *Hub) ask(request agent.AskUserRequest) (call, error) {
	ask := map[string]any{
		"key":       request.ToolCallID,
		"arguments": map[string]any{"header": request.Header, "questions": request.Questions},
		"agent":     map[string]any{"name": "zero", "session": hub.Run},
	}
	if hub.TimeLimit > 0 {
		ask["timeout_seconds"] = int(hub.TimeLimit.Seconds())
	}
	var reply struct {
		Call call `json:"call"`
	}
	ctx, stop := context.WithTimeout(context.Background(), short)
	defer stop()
	err := hub.repeat(ctx, short, func() error {
		return hub.send(ctx, http.MethodPost, "/v1/dialects/zero/calls", ask, &reply)
	})
	return reply.Call, err
}

func (hub *Hub) settled(ctx context.Context, asked call) (call, error) {
	path := fmt.Sprintf("/v1/calls/%s?wait=%d", asked.ID, int(wait.Seconds()))
	for asked.Status == "pending" {
		err := hub.repeat(ctx, away, func() error {
			held, stop := context.WithTimeout(ctx, wait+slack)
			defer stop()
			return hub.send(held, http.MethodGet, path, nil, &asked)
		})
		if err != nil {
			return asked, err
		}
	}
	return asked, nil
}

func (hub *Hub) withdraw(id string) {
	if id == "" {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), short)
	defer stop()
	cancel := map[string]string{"reason": "the run was stopped"}
	err := hub.repeat(ctx, short, func() error {
		return hub.send(ctx, http.MethodPost, "/v1/calls/"+id+"/cancel", cancel, nil)
	})
	var refused refusal
	if err != nil && !(errors.As(err, &refused) && refused.status == http.StatusConflict) {
		fmt.Fprintf(os.Stderr, "askhub at %s: the question is not withdrawn: %v\n", hub.URL, err)
	}
}

func answers(asked call) []string {
	texts := make([]string, len(asked.Outcome.Answers))
	for i, answer := range asked.Outcome.Answers {
		var parts []string
		for _, option := range answer.Selected {
			parts = append(parts, option.Label)
		}
		if answer.Custom != "" {
			parts = append(parts, answer.Custom)
		}
		texts[i] = strings.Join(parts, ", ")
	}
	return texts
}

// refusal is what repeating would not mend.
type refusal struct {
	status int
	detail string
}

func (refused refusal) Error() string { return fmt.Sprintf("%s (%d)", refused.detail, refused.status) }

// repeat does it again until it works, is refused, or has failed for too long. Every request may be sent twice: the key
// finds the same question.
func (hub *Hub) repeat(ctx context.Context, patience time.Duration, attempt func() error) error {
	since := time.Now()
	for {
		began := time.Now()
		err := attempt()
		var refused refusal
		if err == nil || errors.As(err, &refused) || ctx.Err() != nil || began.Sub(since) > patience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func (hub *Hub) send(ctx context.Context, method, path string, body, reply any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return refusal{0, err.Error()}
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(hub.URL, "/")+path, sent)
	if err != nil {
		return refusal{0, err.Error()}
	}
	request.Header.Set("Authorization", "Bearer "+hub.Token)
	request.Header.Set("Content-Type", "application/json")
	client := hub.Client
	if client == nil {
		client = &http.Client{}
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests || status >= 500:
		return fmt.Errorf("it answered %d", status)
	case status >= 300:
		problem := struct {
			Detail string `json:"detail"`
		}{Detail: "it says no"}
		_ = json.Unmarshal(text, &problem) // What is no JSON has no detail.
		return refusal{status, problem.Detail}
	case reply == nil:
		return nil
	}
	return json.Unmarshal(text, reply)
}
