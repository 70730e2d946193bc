// A real nginx in front of a hub, with its defaults. It takes the path off or leaves it on.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PROGRAM = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path));

/** Whether nginx is there; where CI is set it has to be. */
export const hasNginx = PROGRAM !== undefined || !!process.env.CI;

export class Nginx {
  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
  ) {}

  static async start(port: number, upstream: string, strips: boolean): Promise<Nginx> {
    if (!PROGRAM) throw new Error("nginx is not installed");
    const directory = mkdtempSync(join(tmpdir(), "askhub-nginx-"));
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const config = `
      worker_processes 1; daemon off; pid ${directory}/pid; error_log ${directory}/error.log; events {}
      http {
        access_log off;
        ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join(" ")}
        server {
          listen 127.0.0.1:${port};
          location /ask/ {
            proxy_pass ${upstream}${strips ? "/" : ""};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
          }
        }
      }`;
    writeFileSync(join(directory, "nginx.conf"), config);
    const child = spawn(PROGRAM, ["-c", join(directory, "nginx.conf"), "-p", directory], { stdio: "ignore" });
    for (let tries = 0; !(await listens(port)); tries++) {
      if (tries > 200) throw new Error("nginx does not listen");
      await new Promise((done) => setTimeout(done, 25));
    }
    return new Nginx(child, directory);
  }

  async stop(): Promise<void> {
    const ended = new Promise((done) => this.child.once("exit", done));
    this.child.kill("SIGTERM");
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", () => done(false));
  });
}
