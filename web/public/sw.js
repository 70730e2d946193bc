// Keeps the page's own files, so that it opens without a connection. Invariant: never a call, an answer or anything else
// that is not the page itself; the network goes first wherever it answers. The names are written in when it is built.

const VERSION = "__VERSION__";
const FILES = "__FILES__".split(" ");
const SHELL = "./";
/** Addresses that are not the page's: they go to the hub, or fail. */
const NOT_THE_PAGE = /^(v1|plain|sign-in|sign-out|docs|preview|openapi\.json|healthz|readyz|metrics|version)(\/|$)/;

addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(VERSION)
      .then((cache) => cache.addAll(FILES))
      .then(() => skipWaiting()),
  );
});

addEventListener("activate", (event) => {
  const forgetOld = caches.keys().then((names) => {
    const old = names.filter((name) => name.startsWith("askhub-") && name !== VERSION);
    return Promise.all(old.map((name) => caches.delete(name)));
  });
  event.waitUntil(forgetOld.then(() => clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const path = request.url.startsWith(registration.scope) ? request.url.slice(registration.scope.length) : null;
  if (request.method !== "GET" || path === null) return;
  if (FILES.includes(path)) event.respondWith(caches.match(request).then((known) => known ?? fetch(request)));
  else if (request.mode === "navigate" && !NOT_THE_PAGE.test(path)) event.respondWith(openPage(request));
});

/** The page as the hub sends it; without the hub as it was sent last. */
async function openPage(request) {
  try {
    const response = await fetch(request);
    const isPage = response.ok && !response.redirected && response.headers.get("Content-Type")?.startsWith("text/html");
    if (isPage) await (await caches.open(VERSION)).put(SHELL, response.clone());
    return response;
  } catch (error) {
    const known = await caches.match(SHELL);
    if (known) return known;
    throw error;
  }
}

/** Leads to the call in a page that is open, else in a new one. */
addEventListener("notificationclick", (event) => {
  event.notification.close();
  const id = event.notification.tag;
  event.waitUntil(
    clients.matchAll({ type: "window", includeUncontrolled: true }).then((open) => {
      const [page] = open;
      if (!page) return clients.openWindow(`${registration.scope}a/${encodeURIComponent(id)}`);
      page.postMessage({ open: id });
      return page.focus();
    }),
  );
});
