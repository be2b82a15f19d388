// Offline use: the page's own files are kept at the first visit, weights when they are first used. The build writes the list
// and versions that change with any file: another version drops what was kept.
declare const FILES: string[];
declare const VERSION: string;
declare const WEIGHTS_VERSION: string;

const sw = self as unknown as ServiceWorkerGlobalScope;
const PAGE = `keiko-page-${VERSION}`;
const WEIGHTS = `keiko-weights-${WEIGHTS_VERSION}`;

sw.addEventListener('install', (e) => {
  e.waitUntil(caches.open(PAGE).then((c) => c.addAll(FILES)).then(() => sw.skipWaiting()));
});

sw.addEventListener('activate', (e) => {
  e.waitUntil(
    caches.keys()
      .then((all) => Promise.all(all.filter((k) => k.startsWith('keiko-') && k !== PAGE && k !== WEIGHTS).map((k) => caches.delete(k))))
      .then(() => sw.clients.claim()),
  );
});

sw.addEventListener('fetch', (e) => {
  const url = new URL(e.request.url);
  if (e.request.method !== 'GET' || url.origin !== sw.location.origin || url.pathname.includes('/api/')) return;
  e.respondWith(
    caches.match(e.request, { ignoreSearch: true }).then(async (hit) => {
      if (hit) return hit;
      const answer = await fetch(e.request);
      if (answer.ok && url.pathname.includes('/models/')) await (await caches.open(WEIGHTS)).put(e.request, answer.clone());
      return answer;
    }),
  );
});
