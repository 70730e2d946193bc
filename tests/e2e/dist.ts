// Serves the page's files from web/dist instead of those that were embedded when the binary was built, so that work on
// the page needs no new binary: `ASKHUB_WEB_DIST=web/dist npm run e2e`. Everything else, headers too, is the hub's own.

import { existsSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { BrowserContext } from "@playwright/test";

const DIST = process.env.ASKHUB_WEB_DIST;
const BASE_TAG = /<base href="[^"]*"\s*\/?>/;

export async function serveDist(context: BrowserContext): Promise<void> {
  if (!DIST) return;
  // npm runs in web/, people type paths from the root of the repository.
  const root = [resolve(DIST), resolve(__dirname, "../..", DIST)].find((path) => existsSync(`${path}/index.html`));
  if (!root) throw new Error(`no page in ${DIST}`);
  await context.route("**/assets/*", (route) => {
    const path = `${root}/assets/${basename(new URL(route.request().url()).pathname)}`;
    return existsSync(path) ? route.fulfill({ path }) : route.fallback();
  });
  await context.route(
    (url) => !/\/(v1|plain|sign-in|assets)(\/|$|\?)/.test(url.pathname),
    async (route) => {
      const response = await route.fetch({ maxRedirects: 0 });
      const html = await response.text();
      const base = BASE_TAG.exec(html)?.[0];
      if (!base || !html.includes('id="app"')) return route.fulfill({ response });
      const body = readFileSync(`${root}/index.html`, "utf8").replace(BASE_TAG, base);
      return route.fulfill({ response, body });
    },
  );
}
