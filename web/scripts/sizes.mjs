// Prints what the first visit loads, compressed, and fails above the budget.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const DIST = join(import.meta.dirname, "../dist");
const JS_BYTES_MAX = 60_000;
const LATER_BYTES_MAX = 25_000;
const CSS_BYTES_MAX = 12_000;

const html = readFileSync(join(DIST, "index.html"), "utf8");
if (html.split('<base href="/">').length !== 2) fail('index.html must hold <base href="/"> exactly once');
if (/(?:src|href)="\/(?!")/.test(html)) fail("index.html holds an absolute URL: it would not work under a path prefix");
statSync(join(DIST, ".gitkeep"));

const files = [...html.matchAll(/(?:src|href)="(?:\.\/)?(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1]);
const sums = { js: 0, css: 0 };
for (const file of files) {
  const bytes = gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length;
  sums[file.endsWith(".js") ? "js" : "css"] += bytes;
  console.log(`${(bytes / 1000).toFixed(1).padStart(6)} kB gz  ${file}`);
}
console.log(
  `first route: JS ${(sums.js / 1000).toFixed(1)} of ${JS_BYTES_MAX / 1000} kB, CSS ${(sums.css / 1000).toFixed(1)} of ${CSS_BYTES_MAX / 1000} kB`,
);
for (const name of readdirSync(join(DIST, "assets")).filter((name) => name.endsWith(".js"))) {
  if (files.includes(`assets/${name}`)) continue;
  const bytes = gzipSync(readFileSync(join(DIST, "assets", name)), { level: 9 }).length;
  console.log(`${(bytes / 1000).toFixed(1).padStart(6)} kB gz  later: ${name}`);
  if (bytes > LATER_BYTES_MAX) fail(`${name} is over the budget of a part that is loaded later`);
}
if (sums.js > JS_BYTES_MAX || sums.css > CSS_BYTES_MAX) fail("over the budget");

function fail(words) {
  console.error(words);
  process.exit(1);
}
