// Keeps the page's own files on the device, so that it opens without a connection and can be installed. Invariant: the
// worker keeps no call and no answer; drafts are where they always are.

import { urlOf } from "../wire/api";
import { inbox } from "./inbox.svelte";
import { route } from "./route.svelte";

const WORKER = "sw.js";

export function keepShell(): void {
  if (!("serviceWorker" in navigator) || !isSecureContext) return;
  // A press on a notification that the worker showed.
  navigator.serviceWorker.addEventListener("message", (event) => {
    const id = (event.data as { open?: string }).open;
    if (id !== undefined && inbox.calls.has(id)) route.open(id);
  });
  void register();
}

async function register(): Promise<void> {
  const url = urlOf(WORKER).href;
  // Registering is a Trusted Types sink: the policy knows this one address.
  const policy = globalThis.trustedTypes?.createPolicy("sw-url", { createScriptURL: () => url });
  const trusted = policy ? policy.createScriptURL("") : url;
  await navigator.serviceWorker.register(trusted as string, { scope: urlOf("./").href }).catch(() => undefined);
}

declare global {
  var trustedTypes:
    | {
        createPolicy(
          name: string,
          rules: { createScriptURL: (url: string) => string },
        ): { createScriptURL(url: string): unknown };
      }
    | undefined;
}
