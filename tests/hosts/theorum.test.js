// docs/hosts/theorum.ts, checked and compiled by TypeScript, against a real hub. theorum's package is in no registry: its
// `runTurn` is played here, by the events and the results that its contract records.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { foreignServer, freePort, Hub } from "./hub.js";

const SOURCE = fileURLToPath(new URL("../../docs/hosts/theorum.ts", import.meta.url));
const MODULES = fileURLToPath(new URL("./node_modules/", import.meta.url));
const CHOICE = { kind: "choice", prompt: "Which region?", options: ["eu", "us"] };

let directory;
let converse;
before(async () => {
  directory = mkdtempSync(join(tmpdir(), "askhub-theorum-"));
  const flags = ["--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler"];
  const types = ["--typeRoots", join(MODULES, "@types"), "--types", "node"];
  writeFileSync(join(directory, "package.json"), '{"type": "module"}');
  execFileSync(join(MODULES, ".bin/tsc"), [...flags, ...types, "--outDir", directory, SOURCE], { stdio: "inherit" });
  ({ converse } = await import(pathToFileURL(join(directory, "theorum.js")).href));
});
after(() => rmSync(directory, { recursive: true, force: true }));

async function startHub(t) {
  const hub = await Hub.start();
  t.after(() => hub.stop());
  return hub;
}

const to = ({ url, token }) => ({ url, token, run: "run-1" });

/** A kernel whose model asks `questions` in its first turn and nothing later; `texts` are what its turns were given. */
function kernel(...questions) {
  const texts = [];
  async function* runTurn({ input }) {
    texts.push(input.text);
    const asked = texts.length === 1 ? questions : [];
    for (const [index, question] of asked.entries()) {
      const tool = { name: "ask_user", callId: `call_${index}` };
      yield { type: "tool", tool: { ...tool, phase: "running" } };
      const output = { status: "awaiting_user_input", ...question };
      yield { type: "tool", tool: { ...tool, phase: "complete", output } };
    }
    yield { type: "done", stop: { kind: "completed" } };
  }
  return { runTurn, texts };
}

test("the answer is the text of the next turn", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { runTurn, texts } = kernel(CHOICE);
  const seen = [];
  const over = converse(runTurn, to(hub), "Deploy it.", { each: ({ type }) => seen.push(type) });
  const { id, dialect, questions } = await hub.asked();
  assert.equal(dialect.name, "theorum");
  await hub.answer(id, [{ id: questions[0].id, selected: ["eu"] }]);
  await over;
  const answer = "The user answered your question.\n\nQuestion: Which region?\nAnswer: eu";
  assert.deepEqual(texts, ["Deploy it.", answer]);
  assert.deepEqual(seen, ["tool", "tool", "done", "done"]);
});

test("two questions of one turn are both asked before one is answered", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { runTurn, texts } = kernel(CHOICE, { kind: "confirm", prompt: "Now?" });
  const over = converse(runTurn, to(hub), "Deploy it.");
  const first = await hub.asked();
  const second = await hub.asked([first.id]);
  await hub.decline(second.id);
  await hub.decline(first.id);
  await over;
  assert.equal(texts.length, 2);
  assert.equal(texts[1].match(/The user declined to answer\./g).length, 2);
});

test("silence is told as silence", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { runTurn, texts } = kernel(CHOICE);
  await converse(runTurn, { ...to(hub), timeoutSeconds: 1 }, "Deploy it.");
  assert.match(texts[1], /^No person answered: the deadline \(.*\) passed\./);
});

test("a withdrawn question is the end of the run", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { runTurn, texts } = kernel(CHOICE);
  const over = converse(runTurn, to(hub), "Deploy it.");
  await hub.asOwner("POST", `/v1/calls/${(await hub.asked()).id}/cancel`, {});
  await over;
  assert.deepEqual(texts, ["Deploy it."]);
});

test("stopping the host withdraws the question", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const stop = new AbortController();
  const over = converse(kernel(CHOICE).runTurn, to(hub), "Deploy it.", { signal: stop.signal });
  const ended = assert.rejects(over, { name: "AbortError" });
  const { id } = await hub.asked();
  stop.abort();
  await ended;
  const { status, outcome } = await hub.read(id);
  assert.deepEqual([status, outcome.reason], ["cancelled", "the run was stopped"]);
});

test("a restart of the hub does not lose the answer", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { runTurn, texts } = kernel(CHOICE);
  const over = converse(runTurn, to(hub), "Deploy it.");
  const { id, questions } = await hub.asked();
  await hub.kill();
  await hub.restart();
  await hub.answer(id, [{ id: questions[0].id, selected: ["us"] }]);
  await over;
  assert.match(texts[1], /Answer: us$/);
});

test("without a hub the host fails soon, with a sentence for its user", { timeout: 60_000 }, async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const over = converse(kernel(CHOICE).runTurn, { url, token: "none", run: "run-1" }, "Deploy it.");
  await assert.rejects(over, { message: new RegExp(`^askhub at ${url} cannot be reached: connect ECONNREFUSED`) });
});

test("where one question is refused, the other is withdrawn", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const unknown = { kind: "sketch", prompt: "What should it look like?" };
  const over = converse(kernel(CHOICE, unknown).runTurn, to(hub), "Deploy it.");
  await assert.rejects(over, { message: /says no \(422\)/ });
  const { calls } = await hub.asOwner("GET", "/v1/calls");
  assert.deepEqual(
    calls.map(({ status }) => status),
    ["cancelled"],
  );
});

test("a token that is not known is a refusal, at once", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const over = converse(kernel(CHOICE).runTurn, { ...to(hub), token: "none" }, "Deploy it.");
  await assert.rejects(over, { message: new RegExp(`^askhub at ${hub.url} says no \\(401\\): `) });
});

test("what is no askhub is told at once", { timeout: 60_000 }, async (t) => {
  const url = await foreignServer(t);
  const over = converse(kernel(CHOICE).runTurn, { url, token: "none", run: "run-1" }, "Deploy it.");
  await assert.rejects(over, { message: `askhub at ${url} answers unlike askhub` });
});
