import { defineConfig } from "@playwright/test";

// One worker: the journeys share one hub, and each leaves its inbox empty.
export default defineConfig({
  testDir: "../tests/e2e",
  outputDir: "test-results",
  workers: 1,
  timeout: 30_000,
  expect: { timeout: 10_000 },
  forbidOnly: process.env.CI !== undefined,
  reporter: "list",
  use: {
    viewport: { width: 1440, height: 860 },
    locale: "en-GB",
    // It would answer instead of the hub, and unseen by a journey's watch: where it is looked at, it is let in.
    serviceWorkers: "block",
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
