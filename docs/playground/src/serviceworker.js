// The service worker keeps the files of the page, so that it opens without a network. FILES and VERSION are set by the
// build. The program itself is kept by the workers, see program.js.
const cacheName = "ppl-page-" + VERSION;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((n) => n.startsWith("ppl-page-") && n !== cacheName)
      .map((n) => caches.delete(n))))
    .then(() => self.clients.claim()));
});

// Files of the page come from the cache of this version, a report from where the page has put it; the program's files and
// all else from the network.
self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(caches.open(cacheName)
    .then((cache) => cache.match(event.request, { ignoreSearch: true }))
    .then((kept) => kept ?? caches.match(event.request, { cacheName: "ppl-report" }))
    .then((kept) => kept ?? fetch(event.request)));
});
