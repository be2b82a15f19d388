// A static web server for tests: one folder, loopback only.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.webmanifest': 'application/manifest+json' };

// `isolated`: with the headers that allow shared memory.
export async function serve(folder, { isolated = false } = {}) {
  const server = createServer(async (q, r) => {
    const path = normalize(decodeURIComponent(new URL(q.url, 'http://x').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    try {
      if (!file.startsWith(folder)) throw new Error('outside');
      const body = await readFile(file);
      const head = { 'Content-Type': types[extname(file)] ?? 'application/octet-stream', 'Cache-Control': 'no-cache' };
      if (isolated) Object.assign(head, { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' });
      r.writeHead(200, head).end(body);
    } catch {
      r.writeHead(404).end('not found');
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
}
