// The sample call that an empty inbox offers. Invariant: an ordinary call, asked by the ordinary route; it shows a
// choice with previews, own words, a note and a confirmation.

const ROLLING = `strategy: rolling
  batch: 25 %
  pause: 10 min

# slower, and every step can be stopped
# about 40 minutes in all`;

const ALL_AT_ONCE = `strategy: all-at-once
  batch: 100 %

# done in 3 minutes
# a mistake reaches everybody`;

const CONTEXT = `This call is a **sample**. It came through the same door as an agent's: \`POST /v1/calls\`.

Choosing an option sends nothing. Look at the previews, write a note, and send from *Review*.`;

export const SAMPLE_CALL = {
  title: "Sample: how should version 2.4 go out?",
  context: CONTEXT,
  agent: { name: "sample-agent" },
  tags: ["sample"],
  questions: [
    {
      id: "rollout",
      header: "Rollout",
      question: "How should version 2.4 go out?",
      options: [
        {
          id: "rolling",
          label: "Rolling, 25 % at a time",
          description: "Takes 40 minutes. Each step can be stopped.",
          preview: ROLLING,
          preview_format: "text",
          recommended: true,
        },
        {
          id: "all",
          label: "All at once",
          description: "Takes 3 minutes. A mistake reaches everybody.",
          preview: ALL_AT_ONCE,
          preview_format: "text",
        },
        { id: "wait", label: "Wait until Monday", description: "Nothing changes today." },
      ],
    },
    {
      id: "announce",
      header: "Announce",
      kind: "text",
      question: "What should the release note say first?",
      placeholder: "One sentence is enough",
      multiline: true,
    },
    {
      id: "page",
      header: "On call",
      kind: "confirm",
      question: "Page the person on call if error rates rise?",
      yes_label: "Page them",
      no_label: "Leave a message",
    },
  ],
};
