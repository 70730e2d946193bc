import type { Context } from "@deepseek-ai/cordis";

/** How the plugin finds askhub, and how it asks there. */
export interface Config {
  /** Where askhub is, with its path prefix if it has one. Default: `ASKHUB_URL`. */
  url?: string;
  /** An agent's token. Default: `ASKHUB_TOKEN`. */
  token?: string;
  /** Who asks, as people see it. Default: `hydra`. */
  agentName?: string;
  /** After this many seconds nobody can answer any more. Default: never. */
  timeoutSeconds?: number;
  /** What happens if nobody can be reached: `wait` (default), or `return` at once with an error. */
  onUnattended?: "wait" | "return";
  /** From 0 to 100, the most urgent. Default: 50. */
  priority?: number;
  /** By which people filter what is asked. */
  tags?: string[];
  /** For so many seconds an ask tries to reach askhub before it fails. Default: 10. */
  reachSeconds?: number;
}

export declare const name: "askhub-hydra";
export declare const inject: string[];
export declare function apply(ctx: Context, config?: Config): void;

declare const plugin: { name: typeof name; inject: typeof inject; apply: typeof apply };
export default plugin;
