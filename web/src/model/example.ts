// Whole calls and questions for the unit tests: what a test does not care about has a plain value.

import type { Call, Question } from "../wire/types";

export function question(given: Partial<Question> = {}): Question {
  return {
    id: "q1",
    kind: "choice",
    header: null,
    question: "Which?",
    required: false,
    options: ["a", "b", "c"].map((id) => ({
      id,
      label: `Option ${id}`,
      description: null,
      preview: null,
      preview_format: null,
      recommended: false,
    })),
    multi_select: false,
    min_selected: null,
    max_selected: null,
    allow_custom: true,
    placeholder: null,
    multiline: false,
    max_length: null,
    yes_label: null,
    no_label: null,
    unit: null,
    tool: null,
    editable: false,
    risk: null,
    scopes: [],
    arguments_truncated: false,
    schema: null,
    ...given,
  };
}

export function call(given: Partial<Call> = {}): Call {
  return {
    id: "c1",
    space: "default",
    key: null,
    title: null,
    questions: [question()],
    context: null,
    agent: { name: "bot", session: null, host: null, time_zone: null },
    asker: { kind: "agent", id: "t1", name: "agent.token" },
    priority: 50,
    tags: [],
    follows: null,
    timeout_seconds: null,
    hard_deadline: false,
    on_timeout: null,
    status: "pending",
    rev: 1,
    asked_at: "2026-12-01T12:00:00.000Z",
    expires_at: null,
    outcome: null,
    late_answers: [],
    late_answers_total: 0,
    waiters: 0,
    delivered_at: null,
    acked_at: null,
    dialect: null,
    claim: null,
    held: null,
    url: "",
    ...given,
  };
}
