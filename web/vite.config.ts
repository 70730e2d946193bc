import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

const BASE = /node_modules|\/src\/(wire|model\/(?!number|zone|lines|notices)|state\/(?!notices|shell))/;

// Every URL in the built page is relative: the server inserts <base>, so one build serves any path prefix.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  test: { include: ["src/**/*.test.ts"] },
  build: {
    target: "es2022",
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What the first visit needs of the shared modules comes in one file, not in a dozen.
        codeSplitting: { groups: [{ name: "base", test: BASE }] },
      },
    },
  },
});
