// Claude Code, the real program, with `askhub hook claude-code` as its hook. Only its model is played, on loopback.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { BINARY, freePort, Hub } from "./hub.js";
import { Model } from "./model.js";

// The package of the version has a launcher; its program is in the package of the machine.
const PLATFORM = `${process.platform}-${process.arch}`;
const CLAUDE = fileURLToPath(new URL(`node_modules/@anthropic-ai/claude-code-${PLATFORM}/claude`, import.meta.url));
const REJECTED = /The user doesn't want to proceed with this tool use\./;
const QUESTION = "Which database?";
const QUESTIONS = [
  {
    question: QUESTION,
    header: "Storage",
    multiSelect: false,
    options: [
      { label: "SQLite", description: "one file" },
      { label: "Postgres", description: "a server" },
    ],
  },
];

async function startHub(t) {
  const hub = await Hub.start();
  t.after(() => hub.stop());
  return hub;
}

/**
 * A run of Claude Code whose model calls the tool once and then says "Done.", and whose hook finds askhub by `env`.
 * `ended` is all that it printed, once it has ended.
 */
async function claude(t, env) {
  const model = await Model.start();
  const home = mkdtempSync(join(tmpdir(), "askhub-claude-"));
  const asking = { type: "tool_use", id: "toolu_01", name: "AskUserQuestion", input: { questions: QUESTIONS } };
  model.plays([asking], [{ type: "text", text: "Done." }]);
  const hook = { type: "command", command: `'${BINARY}' hook claude-code` };
  const settings = { hooks: { PreToolUse: [{ matcher: "AskUserQuestion", hooks: [hook] }] } };
  const flags = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  flags.push("--permission-prompt-tool", "stdio", "--settings", JSON.stringify(settings));
  const child = spawn(CLAUDE, [...flags, "--model", "claude-sonnet-4-5"], {
    cwd: home,
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      CLAUDE_CONFIG_DIR: join(home, "config"),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      IS_SANDBOX: "1",
      ...env,
    },
  });
  t.after(async () => {
    child.kill("SIGKILL");
    await model.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  const interrupt = () => send({ type: "control_request", request_id: "stop", request: { subtype: "interrupt" } });
  const ended = (async () => {
    const said = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const message = JSON.parse(line);
      said.push(message);
      // Where the hook decides nothing, its own prompt comes: the one who sits before it says no.
      if (message.request?.subtype === "can_use_tool") {
        const response = { behavior: "deny", message: "Nobody is here." };
        const reply = { subtype: "success", request_id: message.request_id, response };
        send({ type: "control_response", response: reply });
      }
      if (message.type === "result") child.stdin.end();
    }
    return said;
  })();
  send({ type: "user", message: { role: "user", content: "Set it up." }, parent_tool_use_id: null, session_id: "" });
  return { model, ended, interrupt };
}

/** The result of the tool as Claude Code told it: to its model, and to who runs it. */
function toolResult(said) {
  const results = said
    .filter(({ type }) => type === "user")
    .flatMap(({ message }) => message.content)
    .filter(({ type }) => type === "tool_result");
  assert.equal(results.length, 1);
  return results[0];
}

test("a person's answer is what the model of Claude Code sees", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { model, ended } = await claude(t, hub.env);
  const call = await hub.asked();
  assert.equal(call.dialect.name, "claude-code");
  assert.deepEqual(
    call.questions[0].options.map(({ label }) => label),
    ["SQLite", "Postgres"],
  );
  await hub.answer(call.id, [{ id: call.questions[0].id, selected: ["SQLite"] }]);
  const said = await ended;
  const sentence = `Your questions have been answered: "${QUESTION}"="SQLite". You can now continue with these answers in mind.`;
  assert.equal(toolResult(said).content, sentence);
  assert.ok(model.toolResults[0].content.startsWith(sentence), "the model was sent it");
  assert.equal(said.at(-1).result, "Done.");
  assert.ok((await hub.read(call.id)).acked_at, "the hub knows that it arrived");
});

test("a refusal stops the run of Claude Code", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { model, ended } = await claude(t, hub.env);
  const call = await hub.asked();
  await hub.decline(call.id);
  const result = toolResult(await ended);
  assert.match(result.content, REJECTED);
  assert.equal(result.is_error, true);
  assert.equal(model.requests.length, 1, "the model had no further turn");
});

test("a refusal with words lets the model go on with them", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { model, ended } = await claude(t, hub.env);
  const call = await hub.asked();
  await hub.decline(call.id, "Ask the team that owns it.");
  const said = await ended;
  assert.match(toolResult(said).content, REJECTED);
  assert.match(model.toolResults[0].content, /Ask the team that owns it\./);
  assert.equal(said.at(-1).result, "Done.");
});

test("interrupting Claude Code withdraws its question", { timeout: 60_000 }, async (t) => {
  const hub = await startHub(t);
  const { ended, interrupt } = await claude(t, hub.env);
  const call = await hub.asked();
  interrupt();
  const { status, outcome } = await hub.settled(call.id);
  assert.deepEqual([status, outcome.reason], ["cancelled", "interrupted"]);
  await ended;
});

test("without a hub Claude Code goes on by its own prompt, and says why", { timeout: 60_000 }, async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { ended } = await claude(t, { ASKHUB_URL: url, ASKHUB_TOKEN: "none" });
  const said = await ended;
  assert.equal(toolResult(said).content, "Nobody is here.");
  const notices = said.filter(({ subtype }) => subtype === "informational").map(({ content }) => content);
  assert.deepEqual(notices, [
    `PreToolUse:AskUserQuestion says: askhub could not answer: no askhub at ${url}: start one with \`askhub serve\``,
  ]);
});
