// Writes the names of the built files into the service worker, and stores each built file compressed beside itself: the hub sends the smallest that a browser takes.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const DIST = join(import.meta.dirname, "../dist");
const ASSETS = join(DIST, "assets");

// The worker keeps exactly these files, and a page that is built anew has another version.
const names = readdirSync(ASSETS).sort();
const files = names.map((name) => `assets/${name}`).join(" ");
const version = `askhub-${createHash("sha256").update(files).digest("hex").slice(0, 16)}`;
const worker = readFileSync(join(DIST, "sw.js"), "utf8");
writeFileSync(join(DIST, "sw.js"), worker.replace("__VERSION__", version).replace("__FILES__", files));

for (const name of names) {
  const bytes = readFileSync(join(ASSETS, name));
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });
  writeFileSync(join(ASSETS, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(join(ASSETS, `${name}.br`), brotli);
}
