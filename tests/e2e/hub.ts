// A real askhub on a free port with a data directory of its own. Invariant: what an agent does here goes over the same
// wire as an agent's own requests; nothing reaches into the process.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const BINARY = process.env.ASKHUB_BIN ?? resolve(__dirname, "../../target/debug/askhub");
const READY = /askhub listening on (\S+)/;
const SIGN_IN_LINK = /(https?:\/\/\S+\/sign-in\?code=\S+)/;

// The parts of the wire that the journeys look at.
export interface Call {
  id: string;
  status: string;
  rev: number;
  expires_at: string | null;
  outcome: {
    status: string;
    provenance: string;
    reason: string | null;
    clarify: boolean;
    text: string;
    by: { name: string } | null;
    answers: {
      id: string;
      status: string;
      selected: { id: string }[];
      custom: string | null;
      notes: string | null;
      value: unknown;
    }[];
  } | null;
  late_answers: { outcome: { answers: { selected: { id: string }[]; notes: string | null }[] } }[];
  late_answers_total: number;
  claim: { by: { name: string } } | null;
  held: { answer_id: string } | null;
}

export class Hub {
  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
    /** Ends without a slash; has the path prefix, if any. */
    readonly url: string,
    /** As it is printed when the hub starts. */
    readonly signInLink: string,
    /** Where the hub itself listens. */
    readonly localUrl: string,
  ) {}

  /** With `proxyPort` people reach it there: what is sent to `url` needs that proxy. */
  static async start(prefix = "", proxyPort?: number): Promise<Hub> {
    const dataDir = mkdtempSync(join(tmpdir(), "askhub-e2e-"));
    const args = ["serve", "--data-dir", dataDir, "--listen"];
    if (proxyPort) args.push("127.0.0.1:0", "--public-url", `http://127.0.0.1:${proxyPort}${prefix}`);
    else if (prefix) {
      const port = await freePort();
      args.push(`127.0.0.1:${port}`, "--public-url", `http://127.0.0.1:${port}${prefix}`);
    } else args.push("127.0.0.1:0");
    const child = spawn(BINARY, args, { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    const started = new Promise<{ url: string; link: string }>((done, failed) => {
      const hear = (chunk: Buffer) => {
        said += chunk;
        const url = READY.exec(said)?.[1];
        const link = SIGN_IN_LINK.exec(said)?.[1];
        if (url && link) done({ url, link });
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("error", failed);
      child.on("exit", (code) => failed(new Error(`askhub ended with ${code}: ${said}`)));
    });
    const { url, link } = await started;
    const reached = proxyPort ? `http://127.0.0.1:${proxyPort}` : url;
    const base = prefix ? new URL(prefix, reached).href : reached;
    return new Hub(child, dataDir, base.replace(/\/$/, ""), link, url);
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill("SIGTERM");
    await ended;
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** Asks as an agent. */
  ask(body: object): Promise<Call> {
    return this.request("POST", "/v1/calls", "agent.token", body);
  }

  /** The agent's long poll. */
  wait(id: string): Promise<Call> {
    return this.request("GET", `/v1/calls/${id}?wait=25`, "agent.token");
  }

  acknowledge(id: string): Promise<Call> {
    return this.request("POST", `/v1/calls/${id}/ack`, "agent.token", {});
  }

  cancel(id: string, reason?: string): Promise<Call> {
    return this.request("POST", `/v1/calls/${id}/cancel`, "agent.token", reason ? { reason } : {});
  }

  /** Reads without leaving a receipt. */
  read(id: string): Promise<Call> {
    return this.request("GET", `/v1/calls/${id}`, "owner.token");
  }

  /** A new responder; the reply is the link that signs them in. */
  async addPerson(name: string): Promise<string> {
    const person = await this.request<{ sign_in_url: string }>("POST", "/v1/users", "owner.token", { name });
    return person.sign_in_url;
  }

  async cancelAll(): Promise<void> {
    const path = "/v1/calls?status=pending&limit=200";
    for (;;) {
      const list = await this.request<{ calls: Call[] }>("GET", path, "owner.token");
      if (list.calls.length === 0) return;
      const cancel = (call: Call) => this.request("POST", `/v1/calls/${call.id}/cancel`, "owner.token", {});
      await Promise.all(list.calls.map(cancel));
    }
  }

  private async request<T = Call>(method: string, path: string, token: string, body?: object): Promise<T> {
    const headers: Record<string, string> = {
      Authorization: `Bearer ${readFileSync(join(this.dataDir, token), "utf8").trim()}`,
    };
    if (body) headers["Content-Type"] = "application/json";
    const response = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
