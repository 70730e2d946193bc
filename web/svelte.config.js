import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

// Runes everywhere: Svelte 4 syntax does not compile.
export default { preprocess: vitePreprocess(), compilerOptions: { runes: true } };
