// The wire's shapes as the page reads them. Invariant: every member is always present, null when empty, so no reader
// needs a default; what the page does not use is left out.

export type Status = "pending" | "answered" | "declined" | "expired" | "cancelled";
export type Kind = "choice" | "text" | "confirm" | "number" | "date" | "datetime" | "form" | "approval";

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export interface Option {
  id: string;
  label: string;
  description: string | null;
  preview: string | null;
  preview_format: "text" | "markdown" | "html" | null;
  recommended: boolean;
}

export interface Question {
  id: string;
  kind: Kind;
  header: string | null;
  question: string;
  required: boolean;
  options: Option[];
  multi_select: boolean;
  min_selected: number | null;
  max_selected: number | null;
  allow_custom: boolean;
  placeholder: string | null;
  multiline: boolean;
  max_length: number | null;
  yes_label: string | null;
  no_label: string | null;
  /** What the number counts (number only). */
  unit: string | null;
  /** The form's fields (form only). */
  schema: { properties?: Record<string, { title?: string }> } | null;
  /** What is to be approved (approval only). */
  tool: { name: string; description: string | null } | null;
  editable: boolean;
  risk: "low" | "medium" | "high" | "destructive" | null;
  scopes: string[];
  arguments_truncated: boolean;
  /** What is filled in and what is approved, as the hub read it: there once the call was read with its nodes. */
  fields?: Field[];
  arguments?: Argument[];
}

/** One field, read from a form's schema. */
export interface Field {
  name: string;
  label: string;
  description: string | null;
  required: boolean;
  takes: "text" | "number" | "date" | "datetime" | "flag" | "choice" | "choices";
  format: "email" | "uri" | null;
  min: string | null;
  max: string | null;
  options: { value: string; title: string }[];
  /** What is wanted, in words. */
  bounds: string;
  at_first: string[];
  /** Keywords of the schema that nothing checks. */
  unchecked: string[];
}

/** One argument of a tool: a text as it is, anything else as JSON. */
export interface Argument {
  name: string;
  kind: string;
  is_text: boolean;
  text: string;
  /** The script alone, where a shell only runs it. */
  script: string | null;
  is_effect: boolean;
}

/** What a person sends for one question. */
export interface GivenAnswer {
  id: string;
  selected?: string[];
  custom?: string;
  notes?: string;
  /** Written by `toText`: it holds digits that JSON.stringify would round. */
  value?: unknown;
}

/** One question's part of an outcome. */
export interface Answer {
  id: string;
  status: "answered" | "skipped";
  selected: { id: string; label: string }[];
  custom: string | null;
  notes: string | null;
  /** What was filled in (form) or decided (approval); null for the other kinds. */
  value: Json;
}

export interface By {
  kind: "person" | "agent";
  id: string;
  name: string;
  via: string;
}

export interface Outcome {
  status: Exclude<Status, "pending">;
  provenance: "human" | "default" | "rule" | "agent" | "clock";
  reason: string | null;
  reply: string | null;
  clarify: boolean;
  by: By | null;
  at: string;
  answers: Answer[];
  text: string;
}

export interface LateAnswer {
  answer_id: string;
  by: By;
  at: string;
  outcome: Outcome;
}

export interface Call {
  id: string;
  space: string;
  key: string | null;
  title: string | null;
  questions: Question[];
  context: string | null;
  agent: { name: string | null; session: string | null; host: string | null; time_zone: string | null };
  asker: { kind: "person" | "agent"; id: string; name: string };
  priority: number;
  tags: string[];
  /** The call that this one continues. */
  follows: string | null;
  timeout_seconds: number | null;
  hard_deadline: boolean;
  on_timeout: { answers: GivenAnswer[] } | null;
  status: Status;
  rev: number;
  asked_at: string;
  expires_at: string | null;
  outcome: Outcome | null;
  late_answers: LateAnswer[];
  late_answers_total: number;
  waiters: number;
  delivered_at: string | null;
  acked_at: string | null;
  /** Who is answering it. */
  /** The tool whose arguments it came as. */
  dialect: { name: string } | null;
  claim: { epoch: number; by: By; until: string } | null;
  /** An answer inside its undo window. */
  held: { answer_id: string; by: By; until: string } | null;
  url: string;
  /** Only in a read with `nodes=1`. */
  nodes?: CallNodes;
}

/** One node of parsed markdown; a type this page does not know is drawn as its text. */
export interface Node {
  t: string;
  c?: Node[];
  v?: string;
  lang?: string;
  href?: string;
  level?: number;
  start?: number;
  checked?: boolean;
}

export interface CallNodes {
  context: Node[] | null;
  /** By `question id/option id`. */
  previews: Record<string, Node[]>;
  /** By question id. */
  fields: Record<string, Field[]>;
  /** By question id. */
  arguments: Record<string, Argument[]>;
}

export interface Me {
  kind: "person" | "agent";
  id: string;
  name: string;
  space: string;
  scopes: string[];
  server_time: string;
}

export interface FeedEvent {
  seq: number;
  type: string;
  at: string;
  call_id: string;
  rev: number;
  status: Status;
  by: By | null;
}

export interface ProblemBody {
  title: string;
  status: number;
  code: string;
  detail: string;
  errors?: { pointer: string; detail: string }[] | null;
  call?: Call | null;
}
