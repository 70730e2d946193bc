// docs/hosts/zero, compiled by Go as it would be in Zero: its hook OnAskUser against a real hub.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { foreignServer, freePort, Hub } from "./hub.js";

const SOURCE = fileURLToPath(new URL("../../docs/hosts/zero/", import.meta.url));
const REQUEST = {
  toolCallId: "call_0",
  questions: [
    { question: "Which framework?", options: ["React", "Vue"], recommended: "Vue" },
    { question: "Which targets?", options: ["web", "phone", "tv"], multiSelect: true },
    { question: "What should it be called?" },
    { question: "Anything else?" },
  ],
};

const hasGo = (() => {
  try {
    return Boolean(execFileSync("go", ["version"]));
  } catch {
    return false;
  }
})();
const options = { timeout: 60_000, skip: !hasGo && "there is no Go here" };

let directory;
before(() => {
  directory = mkdtempSync(join(tmpdir(), "askhub-zero-"));
  if (hasGo)
    execFileSync("go", ["build", "-buildvcs=false", "-o", join(directory, "host"), "."], {
      cwd: SOURCE,
      stdio: "inherit",
    });
});
after(() => rmSync(directory, { recursive: true, force: true }));

test("the code for Zero is as Go wants it", options, () => {
  execFileSync("go", ["vet", "./..."], { cwd: SOURCE, stdio: "inherit" });
  assert.equal(execFileSync("gofmt", ["-l", "."], { cwd: SOURCE }).toString(), "");
});

async function startHub(t) {
  const hub = await Hub.start();
  t.after(() => hub.stop());
  return hub;
}

/** One call of ask_user; `told` is what the model is told in the end, with what the host said on stderr. */
function ask(t, env) {
  const host = spawn(join(directory, "host"), { env, stdio: ["pipe", "pipe", "pipe"] });
  t.after(() => host.kill("SIGKILL"));
  host.stdin.end(JSON.stringify(REQUEST));
  const told = (async () => {
    const texts = ["", ""];
    host.stdout.on("data", (chunk) => {
      texts[0] += chunk;
    });
    host.stderr.on("data", (chunk) => {
      texts[1] += chunk;
    });
    await once(host, "close");
    return { ...JSON.parse(texts[0]), stderr: texts[1] };
  })();
  return { told, stop: () => host.kill("SIGINT") };
}

test("each question gets its answer, and what was left out stays blank", options, async (t) => {
  const hub = await startHub(t);
  const { told } = ask(t, hub.env);
  const { id, dialect, questions } = await hub.asked();
  assert.equal(dialect.name, "zero");
  assert.deepEqual(
    questions.map(({ kind }) => kind),
    ["choice", "choice", "text", "text"],
  );
  await hub.answer(id, [
    { id: questions[0].id, selected: ["Vue"] },
    { id: questions[1].id, selected: ["tv", "web"], custom: "watch" },
    { id: questions[2].id, custom: "Odeon" },
  ]);
  assert.deepEqual(await told, { answers: ["Vue", "tv, web, watch", "Odeon", ""], stderr: "" });
});

test("declining is a prompt without answers", options, async (t) => {
  const hub = await startHub(t);
  const { told } = ask(t, hub.env);
  await hub.decline((await hub.asked()).id, "not now");
  assert.deepEqual(await told, { stderr: "" });
});

test("stopping the run withdraws the question", options, async (t) => {
  const hub = await startHub(t);
  const { told, stop } = ask(t, hub.env);
  const { id } = await hub.asked();
  stop();
  const { status, outcome } = await hub.settled(id);
  assert.deepEqual([status, outcome.reason], ["cancelled", "the run was stopped"]);
  assert.deepEqual(await told, { stopped: "Error: ask_user canceled: context canceled", stderr: "" });
});

test("silence stops the run when the time is over", options, async (t) => {
  const hub = await startHub(t);
  const { told } = ask(t, { ...hub.env, LIMIT: "1s" });
  assert.deepEqual(await told, { stopped: "Error: ask_user canceled: context deadline exceeded", stderr: "" });
});

test("a withdrawn question stops the run", options, async (t) => {
  const hub = await startHub(t);
  const { told } = ask(t, hub.env);
  await hub.asOwner("POST", `/v1/calls/${(await hub.asked()).id}/cancel`, {});
  assert.deepEqual(await told, { stopped: "Error: ask_user canceled: context canceled", stderr: "" });
});

test("a restart of the hub does not lose the answer", options, async (t) => {
  const hub = await startHub(t);
  const { told } = ask(t, hub.env);
  const { id, questions } = await hub.asked();
  await hub.kill();
  await hub.restart();
  await hub.answer(id, [{ id: questions[0].id, selected: ["React"] }]);
  assert.deepEqual((await told).answers, ["React", "", "", ""]);
});

test("without a hub the agent goes on alone, and its user is told why", options, async (t) => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { headless, stderr } = await ask(t, { ASKHUB_URL: url, ASKHUB_TOKEN: "none" }).told;
  assert.equal(headless, true);
  assert.match(stderr, /^askhub at http:\/\/127\.0\.0\.1:\d+: .*connection refused\n$/);
});

test("a token that is not known is a refusal, at once", options, async (t) => {
  const hub = await startHub(t);
  const { headless, stderr } = await ask(t, { ASKHUB_URL: hub.url, ASKHUB_TOKEN: "none" }).told;
  assert.equal(headless, true);
  assert.match(stderr, /^askhub at \S+: .* \(401\)\n$/);
});

test("what is no askhub is told at once", options, async (t) => {
  const { headless, stderr } = await ask(t, { ASKHUB_URL: await foreignServer(t), ASKHUB_TOKEN: "none" }).told;
  assert.equal(headless, true);
  assert.match(stderr, /^askhub at \S+: it answers unlike askhub\n$/);
});
