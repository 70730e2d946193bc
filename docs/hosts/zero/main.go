// A host in small: it reads one call of ask_user on stdin, asks as Zero does, and prints what the model is told. SIGINT is
// the user who stops the run, and LIMIT how long people have.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/Gitlawb/zero/internal/agent"
	"github.com/Gitlawb/zero/internal/askhub"
)

func main() {
	var request agent.AskUserRequest
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		fmt.Fprintln(os.Stderr, "the call of ask_user on stdin:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	hub := &askhub.Hub{URL: os.Getenv("ASKHUB_URL"), Token: os.Getenv("ASKHUB_TOKEN"), Run: "run-1"}
	hub.TimeLimit, _ = time.ParseDuration(os.Getenv("LIMIT")) // Without it there is none.
	told := agent.Ask(ctx, agent.Options{OnAskUser: hub.OnAskUser}, request)
	if err := json.NewEncoder(os.Stdout).Encode(told); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
