// Package agent stands in for Zero's own package of that name: the types of its hook OnAskUser as they are there, and the
// rules of its loop for what the hook returns. It is here so that internal/askhub compiles and runs as it would in Zero.
package agent

import (
	"context"
	"errors"
	"fmt"
)

// AskUserQuestion is one question of the model.
type AskUserQuestion struct {
	Question           string   `json:"question"`
	Header             string   `json:"header,omitempty"`
	Options            []string `json:"options,omitempty"`
	OptionDescriptions []string `json:"optionDescriptions,omitempty"`
	Recommended        string   `json:"recommended,omitempty"`
	MultiSelect        bool     `json:"multiSelect,omitempty"`
}

// AskUserRequest is what the model asks with one call of the tool ask_user.
type AskUserRequest struct {
	ToolCallID string            `json:"toolCallId"`
	Header     string            `json:"header,omitempty"`
	Questions  []AskUserQuestion `json:"questions"`
}

// AskUserResponse has one answer a question; an empty one was left out.
type AskUserResponse struct {
	Answers []string `json:"answers"`
}

// Options has the one option that matters here.
type Options struct {
	OnAskUser func(context.Context, AskUserRequest) (AskUserResponse, error)
}

// Told is what the model is told then, of what the hook returned.
type Told struct {
	// Answers, or none where the prompt was dismissed.
	Answers []string `json:"answers,omitempty"`
	// Headless: that no interactive user is available, and to go on by its best assumption.
	Headless bool `json:"headless,omitempty"`
	// Stopped: why the tool failed; the run ends here.
	Stopped string `json:"stopped,omitempty"`
}

// Ask does with a call of ask_user what the loop does: the end of the context stops the run, any other error of the hook
// is as if there were nobody.
func Ask(ctx context.Context, options Options, request AskUserRequest) Told {
	if options.OnAskUser == nil {
		return Told{Headless: true}
	}
	response, err := options.OnAskUser(ctx, request)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Told{Stopped: fmt.Sprintf("Error: ask_user canceled: %v", err)}
	case err != nil:
		return Told{Headless: true}
	}
	return Told{Answers: response.Answers}
}
