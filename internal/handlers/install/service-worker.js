// Where Florin cannot be reached, this worker shows a page that says so. It keeps that page with what it is drawn with, and nothing else: no answer to anything that is asked for
// here is ever kept (ADR 0066).
"use strict";

// The server writes what is kept: name is the cache, files are the addresses in it, the page first. Paths that alone matches are left alone.
const kept = KEPT;
const alone = new RegExp(kept.alone);
const own = { cacheName: kept.name };

self.addEventListener("install", (event) => {
  const keep = async () => {
    const cache = await caches.open(kept.name);
    await cache.addAll(kept.files.map((file) => new Request(file, { cache: "reload" })));
    await self.skipWaiting(); // open pages do not need the worker before
  };
  event.waitUntil(keep());
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("florin-") && name !== kept.name);
    await Promise.all(old.map((name) => caches.delete(name)));
  };
  event.waitUntil(clean());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, search } = new URL(request.url);
  if (request.method !== "GET") return;
  if (request.mode === "navigate") {
    if (!alone.test(pathname)) event.respondWith(fetch(request).catch(async () => (await caches.match(kept.files[0], own)) ?? Response.error()));
  } else if (kept.files.includes(pathname + search)) {
    event.respondWith(caches.match(request, own).then((answer) => answer ?? fetch(request)));
  }
});
