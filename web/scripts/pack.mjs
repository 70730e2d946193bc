// Stores each built file compressed beside itself: the hub sends the smallest that a browser takes.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const ASSETS = join(import.meta.dirname, "../dist/assets");

for (const name of readdirSync(ASSETS)) {
  const bytes = readFileSync(join(ASSETS, name));
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });
  writeFileSync(join(ASSETS, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  writeFileSync(join(ASSETS, `${name}.br`), brotli);
}
