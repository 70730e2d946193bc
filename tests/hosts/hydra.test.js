// The plugin of clients/hydra in a real host: the published service, the published tool, run through the published
// registry of tools as an agent's loop runs it. Only the model is missing, whose arguments are the tests' own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Context } from "@deepseek-ai/cordis";
import { AgentRegistry, Inbox } from "@deepseek-ai/dsh-agent";
import { SessionStore } from "@deepseek-ai/dsh-session";
import { SystemPrompt } from "@deepseek-ai/dsh-system-prompt";
import * as askUser from "@deepseek-ai/dsh-tool-ask-user";
import { ToolRuntime } from "@deepseek-ai/dsh-tools";
import { UserQuestionService } from "@deepseek-ai/dsh-user-questions";
import askhub from "../../clients/hydra/index.js";
import { freePort, Hub } from "./hub.js";

const PLUGIN_DIR = fileURLToPath(new URL("../../clients/hydra/", import.meta.url));
const ABORTED = "Error: ask_user_question was aborted before the user answered";
const PATH = {
  id: "path",
  header: "Refunds",
  question: "How should I make customers whole?",
  options: [{ label: "Refund", description: "3 to 5 days" }, { label: "Credit" }],
};

let hub;
before(async () => {
  hub = await Hub.start();
});
after(() => hub.stop());

/** A host without a plugin: what the harness itself brings. */
async function bareHost() {
  const root = new Context();
  for (const plugin of [SystemPrompt, SessionStore, AgentRegistry, ToolRuntime, UserQuestionService, askUser])
    await root.plugin(plugin);
  return root;
}

/** A host whose questions go to `hub`, or where `config` says. */
async function attachedHost(config) {
  const root = await bareHost();
  const { url, token } = hub;
  const plugin = root.plugin(askhub, { url, token, ...config });
  await plugin;
  return { root, plugin };
}

/** What the agent's loop does with a tool call of the model: the whole result, and its text. */
function run(root, questions, { signal = new AbortController().signal, agent } = {}) {
  return runRaw(root, { questions }, { signal, agent });
}

async function runRaw(root, args, { signal = new AbortController().signal, agent } = {}) {
  const call = { callId: "call_0", name: "ask_user_question", arguments: args, signal, agent };
  const result = await root.tools.execute(call);
  assert.equal(result.content.length, 1);
  return { ...result, text: result.content[0].text };
}

/** An agent that is live and owned by nobody, with a real inbox; only its loop is missing. */
function liveAgent(root, id) {
  const session = root.sessions.create(id);
  const inbox = new Inbox(session, { inserted() {}, discarded() {}, claimed() {} });
  const agent = { id, session, inbox, ctx: root, steer: (message) => inbox.append("next-step", message) };
  root.agents.register(agent);
  return agent;
}

/** The call that asks `question`; its tests share a hub. */
async function asked(question, of = hub) {
  const others = [];
  for (;;) {
    const call = await of.asked(others);
    if (call.questions[0].question === question) return call;
    others.push(call.id);
  }
}

async function callsThatAsk(question) {
  const { calls } = await hub.asOwner("GET", "/v1/calls?limit=200");
  return calls.filter((call) => call.questions[0].question === question);
}

/** A hub's front that does `onAsked(reply, send)` when the hub has replied to an ask; all else passes. */
async function front(onAsked) {
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { authorization } = request.headers;
    const reply = await fetch(hub.url + request.url, {
      method: request.method,
      headers: { authorization, "content-type": "application/json" },
      body: request.method === "POST" ? body : undefined,
    });
    const text = await reply.text();
    const send = () => response.writeHead(reply.status, { "content-type": "application/json" }).end(text);
    if (request.method === "POST" && request.url === "/v1/dialects/hydra/calls")
      onAsked(JSON.parse(text), send, response);
    else send();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

test("a person's answer is the tool's result, to the byte", async () => {
  const { root } = await attachedHost();
  const result = run(root, [
    { ...PATH, question: "to the byte?" },
    { id: "why", question: 'Why? </script> "q" \u2028' },
  ]);
  const call = await asked("to the byte?");
  assert.deepEqual(call.questions[0].header, "Refunds");
  await hub.answer(call.id, [
    { id: "q1", selected: ["Credit"] },
    { id: "q2", custom: "  because\n</b> \u2028 é  " },
  ]);
  assert.deepEqual(await result, {
    isError: false,
    content: [
      {
        type: "text",
        text: '{"answers":[{"id":"path","selected":["Credit"]},{"id":"why","selected":[],"custom":"because\\n</b> \u2028 é"}]}',
      },
    ],
    text: '{"answers":[{"id":"path","selected":["Credit"]},{"id":"why","selected":[],"custom":"because\\n</b> \u2028 é"}]}',
    value: {
      answers: [
        { id: "path", selected: ["Credit"] },
        { id: "why", selected: [], custom: "because\n</b> \u2028 é" },
      ],
    },
  });
});

test("own words stand beside several choices, and in the place of a single one", async () => {
  const { root } = await attachedHost();
  const many = { ...PATH, id: "many", question: "several?", multi_select: true };
  const result = run(root, [many, { ...PATH, id: "one" }]);
  const call = await asked("several?");
  await hub.answer(call.id, [
    { id: "q1", selected: ["Credit", "Refund"], custom: "and a letter" },
    { id: "q2", custom: "neither" },
  ]);
  assert.equal(
    (await result).text,
    '{"answers":[{"id":"many","selected":["Credit","Refund"],"custom":"and a letter"},' +
      '{"id":"one","selected":[],"custom":"neither"}]}',
  );
});

test("what the tool does not know of an option reaches the page", async () => {
  const { root } = await attachedHost();
  const options = [{ label: "A", preview: "**look**", value: 1, nested: { k: [null] } }];
  const result = run(root, [{ id: "a", question: "unknown keys?", options }]);
  const call = await asked("unknown keys?");
  assert.equal(call.questions[0].options[0].preview, "**look**");
  assert.deepEqual(JSON.parse(call.dialect.raw).questions[0].options, options);
  await hub.answer(call.id, [{ id: "q1", selected: ["A"] }]);
  assert.equal((await result).text, '{"answers":[{"id":"a","selected":["A"]}]}');
});

test("half of a surrogate pair comes back as it was", async () => {
  const { root } = await attachedHost();
  const result = run(root, [
    { id: "\ud800", question: "half a pair?", options: [{ label: "\udc00" }, { label: "B" }] },
  ]);
  const call = await asked("half a pair?");
  await hub.answer(call.id, [{ id: "q1", selected: [call.questions[0].options[0].id] }]);
  assert.deepEqual((await result).value, { answers: [{ id: "\ud800", selected: ["\udc00"] }] });
});

test("a plan to review is read with its question", async () => {
  const { root } = await attachedHost();
  const answer = root.userQuestions.ask({
    questions: [
      {
        id: "plan",
        question: "Go on?",
        detail: "1. delete\n2. regret",
        options: [{ label: "Yes" }, { label: "No" }],
        intent: { kind: "plan-review", approve: "Yes" },
        multiSelect: true,
      },
    ],
  });
  const call = await asked("Go on?\n\n1. delete\n2. regret");
  assert.equal(call.questions[0].multi_select, true);
  await hub.answer(call.id, [{ id: "q1", selected: ["No"] }]);
  assert.deepEqual(await answer, { answers: [{ id: "plan", selected: ["No"] }] });
});

test("a person sees who asks, and the outcome is acknowledged", async () => {
  const { root } = await attachedHost({ agentName: "billing", priority: 80, tags: ["prod"] });
  const agent = liveAgent(root, "session-1");
  const result = run(root, [{ id: "a", question: "who asks?" }], { agent });
  const call = await asked("who asks?");
  assert.equal(call.agent.name, "billing");
  assert.equal(call.agent.session, "session-1");
  assert.equal(call.priority, 80);
  assert.deepEqual(call.tags, ["prod"]);
  await hub.answer(call.id, [{ id: "q1", custom: "me" }]);
  await result;
  await until(async () => (await hub.read(call.id)).acked_at !== null);
});

test("a declined call skips every question, and the agent is told why", async () => {
  const { root } = await attachedHost();
  const agent = liveAgent(root, "session-2");
  const result = run(
    root,
    [
      { ...PATH, question: "declined?" },
      { id: "b", question: "B?" },
    ],
    { agent },
  );
  await hub.decline((await asked("declined?")).id, "ask the auditors first");
  assert.equal((await result).text, '{"answers":[{"id":"path","selected":[]},{"id":"b","selected":[]}]}');
  const [message, ...others] = agent.inbox.nextStep;
  assert.deepEqual(others, []);
  assert.equal(message.role, "user");
  assert.deepEqual(message.source, { kind: "user" });
  assert.deepEqual(message.content, [{ type: "text", text: "ask the auditors first" }]);
});

test("a question that expires is an error that says so", async () => {
  const { root } = await attachedHost({ timeoutSeconds: 1 });
  const { text, isError } = await run(root, [{ ...PATH, question: "expired?" }]);
  assert.equal(text, "Error: the question expired before the user answered");
  assert.equal(isError, true);
});

test("with nobody there it does not wait if it shall not", async () => {
  const { root } = await attachedHost({ onUnattended: "return" });
  const { text } = await run(root, [PATH]);
  assert.equal(text, "Error: no user-questions provider is registered");
});

test("an abort cancels the call at the hub, and the tool says so", async () => {
  const { root } = await attachedHost();
  const stop = new AbortController();
  const result = run(root, [{ ...PATH, question: "aborted?" }], { signal: stop.signal });
  const call = await asked("aborted?");
  stop.abort();
  const { text, error } = await result;
  assert.equal(text, ABORTED);
  assert.deepEqual(error.info, { name: "UserQuestionError", code: "ASK_ABORTED" });
  const { status, outcome } = await hub.settled(call.id);
  assert.equal(status, "cancelled");
  assert.equal(outcome.reason, "the agent no longer waits for an answer");
});

test("a call that is withdrawn at the hub is an abort to the tool", async () => {
  const { root } = await attachedHost();
  const result = run(root, [{ ...PATH, question: "withdrawn?" }]);
  const call = await asked("withdrawn?");
  await hub.asOwner("POST", `/v1/calls/${call.id}/cancel`, {});
  const { text, error } = await result;
  assert.equal(text, ABORTED);
  assert.equal(error.info.code, "ASK_ABORTED");
});

test("an abort before the tool runs asks nobody", async () => {
  const { root } = await attachedHost();
  const signal = AbortSignal.abort();
  const { text } = await run(root, [{ ...PATH, question: "never asked?" }], { signal });
  assert.equal(text, "Error: tool call aborted before dispatch");
  const direct = root.userQuestions.ask({ questions: [{ ...PATH, question: "never asked?" }], signal });
  await assert.rejects(direct, { code: "ASK_ABORTED" });
  assert.deepEqual(await callsThatAsk("never asked?"), []);
});

test("an abort while the ask is under way withdraws the call that was made", async (t) => {
  const stop = new AbortController();
  const { promise, resolve } = withResolvers();
  const proxy = await front((reply, send) => resolve({ reply, send }));
  t.after(proxy.stop);
  const { root } = await attachedHost({ url: proxy.url });
  const result = run(root, [{ ...PATH, question: "under way?" }], { signal: stop.signal });
  const { reply, send } = await promise;
  stop.abort();
  assert.equal((await result).text, ABORTED);
  assert.equal((await hub.read(reply.call.id)).status, "pending");
  send();
  assert.equal((await hub.settled(reply.call.id)).status, "cancelled");
});

test("an abort withdraws a call whose reply was lost", async (t) => {
  const stop = new AbortController();
  const ids = [];
  const proxy = await front((reply, send, response) => {
    ids.push(reply.call.id);
    if (ids.length > 1) return send();
    response.destroy();
    stop.abort();
  });
  t.after(proxy.stop);
  const { root } = await attachedHost({ url: proxy.url });
  assert.equal((await run(root, [{ ...PATH, question: "lost?" }], { signal: stop.signal })).text, ABORTED);
  await until(() => ids.length > 1);
  assert.equal((await hub.settled(ids[0])).status, "cancelled");
  assert.equal((await callsThatAsk("lost?")).length, 1);
});

test("an ask whose reply was lost is repeated, and asks once", async (t) => {
  let asks = 0;
  const proxy = await front((_, send, response) => {
    asks += 1;
    if (asks > 1) send();
    else response.destroy();
  });
  t.after(proxy.stop);
  const { root } = await attachedHost({ url: proxy.url });
  const result = run(root, [{ ...PATH, question: "repeated?" }]);
  await until(() => asks > 1);
  const [call, ...others] = await callsThatAsk("repeated?");
  assert.deepEqual(others, []);
  await hub.answer(call.id, [{ id: "q1", selected: ["Refund"] }]);
  assert.equal((await result).text, '{"answers":[{"id":"path","selected":["Refund"]}]}');
});

test("a hub that is down is an error with its address, after a bounded time", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { root } = await attachedHost({ url, reachSeconds: 1 });
  const began = performance.now();
  const { text, error } = await run(root, [PATH]);
  assert.ok(performance.now() - began < 5_000);
  assert.match(text, new RegExp(`^Error: askhub at ${url} cannot be reached, nobody was asked: .*ECONNREFUSED`));
  assert.match(text, /askhub serve/);
  assert.equal(error.info, undefined);
});

test("a hub that accepts and says nothing is one that is down", async (t) => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { root } = await attachedHost({ url: `http://127.0.0.1:${server.address().port}`, reachSeconds: 1 });
  assert.match((await run(root, [PATH])).text, /cannot be reached, nobody was asked: no answer within 1 s/);
});

test("a wrong token is an error at once that does not show it", async () => {
  const { root } = await attachedHost({ token: "askhub_wrong" });
  const { text } = await run(root, [PATH]);
  assert.equal(
    text,
    `Error: askhub at ${hub.url} does not know the token (401): set ASKHUB_TOKEN, or "token" of the plugin, to the token of an agent`,
  );
});

test("what the hub refuses is said with its reason", async () => {
  const { root } = await attachedHost({ priority: 101 });
  const { text } = await run(root, [PATH]);
  assert.match(text, /^Error: askhub at \S+ refuses the question \(422\): .*priority is a whole number from 0 to 100/);
});

test("an answer arrives through a hub that was killed and started again", async (t) => {
  const own = await Hub.start();
  t.after(() => own.stop());
  const { root } = await attachedHost({ url: own.url, token: own.token });
  const result = run(root, [PATH]);
  const call = await own.asked();
  await own.kill();
  await own.restart();
  await own.answer(call.id, [{ id: "q1", selected: ["Refund"] }]);
  assert.equal((await result).text, '{"answers":[{"id":"path","selected":["Refund"]}]}');
});

test("an abort works at once while the hub is away, and withdraws the call when it is back", async (t) => {
  const own = await Hub.start();
  t.after(() => own.stop());
  const { root } = await attachedHost({ url: own.url, token: own.token });
  const stop = new AbortController();
  const result = run(root, [PATH], { signal: stop.signal });
  const call = await own.asked();
  await own.kill();
  stop.abort();
  const began = performance.now();
  assert.equal((await result).text, ABORTED);
  assert.ok(performance.now() - began < 3_000);
  await own.restart();
  assert.equal((await own.settled(call.id)).status, "cancelled");
});

test("a second provider is refused, and the first one stays", async () => {
  const { root } = await attachedHost();
  const { url, token } = hub;
  await assert.rejects(async () => await root.plugin({ ...askhub, name: "second" }, { url, token }), {
    code: "DUPLICATE_PROVIDER",
  });
  const result = run(root, [{ ...PATH, question: "still there?" }]);
  await hub.answer((await asked("still there?")).id, [{ id: "q1", selected: ["Refund"] }]);
  assert.equal((await result).isError, false);
});

test("without the plugin nobody is there to ask, and what it asked is withdrawn", async () => {
  const { root, plugin } = await attachedHost();
  const result = run(root, [{ ...PATH, question: "unplugged?" }]);
  const call = await asked("unplugged?");
  await plugin.dispose();
  assert.equal((await hub.read(call.id)).status, "cancelled");
  assert.equal((await result).text, ABORTED);
  assert.equal((await run(root, [PATH])).text, "Error: no user-questions provider is registered");
  await root.plugin(askhub, { url: hub.url, token: hub.token });
  const again = run(root, [{ ...PATH, question: "plugged in again?" }]);
  await hub.answer((await asked("plugged in again?")).id, [{ id: "q1", selected: ["Refund"] }]);
  assert.equal((await again).isError, false);
});

test("a configuration that cannot work is an error at the start", async () => {
  const root = await bareHost();
  const cases = [
    [{ url: undefined }, /where askhub is: set ASKHUB_URL/],
    [{ token: "" }, /an agent's token: set ASKHUB_TOKEN/],
    [{ url: "ftp://127.0.0.1" }, /a url like/],
    [{ url: "http://me:hidden@127.0.0.1" }, /a url like/],
    [{ token: "hid\nden" }, /characters that no token has/],
    [{ timeout: 5 }, /does not know the setting "timeout"/],
    [{ timeoutSeconds: 1.5 }, /"timeoutSeconds"/],
  ];
  const saved = { ...process.env };
  delete process.env.ASKHUB_URL;
  delete process.env.ASKHUB_TOKEN;
  try {
    for (const [config, said] of cases) {
      const error = await root.plugin(askhub, { url: hub.url, token: hub.token, ...config }).then(
        () => assert.fail(`${JSON.stringify(config)} was taken`),
        (error) => error,
      );
      assert.match(error.message, said);
      assert.doesNotMatch(error.message, /hid/);
    }
  } finally {
    Object.assign(process.env, saved);
  }
});

test("the published tool gives the results that the dialect is held to", async (t) => {
  const { root } = await attachedHost();
  // The guard is hydra's own, and who calls needs an agent; what only a provider or a host can do is not here either.
  const page = readFileSync(new URL("../vectors/NOT_OVER_HTTP.md", import.meta.url), "utf8");
  const section = page.split("\n## ").find((part) => part.startsWith("hydra: not run")) ?? "";
  const vectors = JSON.parse(readFileSync(new URL("../vectors/hydra.json", import.meta.url), "utf8")).filter(
    (vector) =>
      !section.includes(`\`${vector.name}\``) &&
      vector.latest_user_text === undefined &&
      vector.session_events === undefined &&
      vector.caller === undefined,
  );
  assert.ok(vectors.length > 40);
  for (const vector of vectors) {
    await t.test(vector.name, async () => {
      const args = vector.raw_arguments === undefined ? vector.input : JSON.parse(vector.raw_arguments);
      const result = runRaw(root, args);
      if (vector.verdict === "accept") {
        const answers = vector.answers_raw.answers.map(({ selected, custom }, at) => ({
          id: `q${at + 1}`,
          selected,
          custom,
        }));
        await hub.answer((await hub.asked()).id, answers);
      }
      const { text, isError, error } = await result;
      assert.deepEqual([text, isError], [vector.result, vector.result_is_error]);
      assert.equal(error?.info?.code, vector.error_code ?? undefined);
    });
  }
});

test("the README's example runs as it is", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "askhub-hydra-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, "node_modules"));
  const installed = fileURLToPath(new URL("node_modules/@deepseek-ai", import.meta.url));
  symlinkSync(installed, join(dir, "node_modules/@deepseek-ai"));
  symlinkSync(PLUGIN_DIR, join(dir, "node_modules/askhub-hydra"));
  const readme = readFileSync(join(PLUGIN_DIR, "README.md"), "utf8");
  writeFileSync(join(dir, "ask.mjs"), /```js\n(.*?)```/s.exec(readme)[1]);
  const child = spawn(process.execPath, ["ask.mjs"], { cwd: dir, env: { ...process.env, ...hub.env } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
  const exit = once(child, "exit");
  const call = await Promise.race([asked("Deploy to production now?"), exit.then(() => assert.fail(said))]);
  await hub.answer(call.id, [{ id: "q1", selected: ["Yes"] }]);
  assert.deepEqual(await exit, [0, null], said);
  assert.match(said, /\{"answers":\[\{"id":"deploy","selected":\["Yes"\]\}\]\}/);
});

test("the plugin's types hold", async () => {
  const tsc = fileURLToPath(new URL("node_modules/typescript/bin/tsc", import.meta.url));
  const child = spawn(process.execPath, [tsc, "-p", PLUGIN_DIR], { stdio: ["ignore", "pipe", "inherit"] });
  const said = (await child.stdout.toArray()).join("");
  assert.equal(said, "");
});

/** Until it is so; the test's own limit ends it. */
async function until(holds) {
  while (!(await holds())) await new Promise((later) => setTimeout(later, 50));
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
