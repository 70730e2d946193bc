// A real askhub on a free port with a data directory of its own, and what a test needs of it: the agent's requests, the
// person's answers. Invariant: everything goes over the public wire; nothing reaches into the process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import * as http from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The binary under test. */
export const BINARY = process.env.ASKHUB_BIN ?? fileURLToPath(new URL("../../target/debug/askhub", import.meta.url));

export class Hub {
  /** Starts a hub of its own; `stop` ends it and removes what it stored. */
  static async start(port = 0, dataDir = mkdtempSync(join(tmpdir(), "askhub-hosts-"))) {
    const child = spawn(BINARY, ["serve", "--data-dir", dataDir, "--listen", `127.0.0.1:${port}`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    const url = await new Promise((ready, failed) => {
      const hear = (chunk) => {
        said += chunk;
        const found = /askhub listening on (\S+)/.exec(said)?.[1];
        if (found) ready(found);
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("error", failed);
      child.on("exit", (code) => failed(new Error(`askhub ended with ${code}: ${said}`)));
    });
    return new Hub(child, dataDir, url);
  }

  constructor(child, dataDir, url) {
    this.child = child;
    this.dataDir = dataDir;
    /** Ends without a slash. */
    this.url = url;
  }

  /** What an agent on this machine would have. */
  get token() {
    return readFileSync(join(this.dataDir, "agent.token"), "utf8").trim();
  }

  /** The variables by which a client finds this hub. */
  get env() {
    return { ASKHUB_URL: this.url, ASKHUB_TOKEN: this.token };
  }

  /** Ends the process as a crash would. */
  async kill() {
    this.child.kill("SIGKILL");
    await once(this.child, "exit");
  }

  /** Starts it again after `kill`: the same address, with what it had stored. */
  async restart() {
    const { child } = await Hub.start(new URL(this.url).port, this.dataDir);
    this.child = child;
  }

  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill("SIGTERM");
      await once(this.child, "exit");
    }
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** One request as the person `owner`: the parsed reply, or an error that shows it. */
  async asOwner(method, path, body) {
    const token = readFileSync(join(this.dataDir, "owner.token"), "utf8").trim();
    const response = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  answer(id, answers) {
    return this.asOwner("POST", `/v1/calls/${id}/answer`, { answers });
  }

  decline(id, reason) {
    return this.asOwner("POST", `/v1/calls/${id}/decline`, reason ? { reason } : {});
  }

  read(id) {
    return this.asOwner("GET", `/v1/calls/${id}`);
  }

  /** The next call that waits for a person; what is listed in `known` (ids) does not count. */
  async asked(known = []) {
    for (;;) {
      const { calls } = await this.asOwner("GET", "/v1/calls?status=pending&limit=200");
      const call = calls.find(({ id }) => !known.includes(id));
      if (call) return call;
      await new Promise((later) => setTimeout(later, 50));
    }
  }

  /** The call once it is settled: waits up to 25 s. */
  settled(id) {
    return this.asOwner("GET", `/v1/calls/${id}?wait=25`);
  }
}

/** A port on which nobody listens: for a hub that is down. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** The address of a server that is not askhub: everything is answered with 200 and `{}`. */
export async function foreignServer(t) {
  const server = http.createServer((_request, response) => response.end("{}")).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}
