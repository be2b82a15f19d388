// Firefox of the distribution, by WebDriver BiDi: the page opens, a move is played and answered, nothing is logged as an error.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { site, skip } from './browser.mjs';
import { serve } from './server.mjs';

const firefox = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((f) => existsSync(f));

// As much of a WebSocket client as BiDi needs: text frames both ways on loopback. Node 20 has none.
function webSocket(url, hear) {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((done, fail) => {
    const s = connect(Number(port), hostname);
    let head = true;
    let rest = Buffer.alloc(0);
    let parts = [];
    s.on('error', fail);
    s.on('connect', () => s.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`));
    const send = (text) => {
      const data = Buffer.from(text);
      const mask = randomBytes(4);
      const long = data.length > 65535 ? 10 : data.length > 125 ? 4 : 2;
      const frame = Buffer.alloc(long);
      frame[0] = 0x81;
      if (long === 2) frame[1] = 0x80 | data.length;
      else if (long === 4) (frame[1] = 0x80 | 126), frame.writeUInt16BE(data.length, 2);
      else (frame[1] = 0x80 | 127), frame.writeBigUInt64BE(BigInt(data.length), 2);
      s.write(Buffer.concat([frame, mask, data.map((c, i) => c ^ mask[i % 4])]));
    };
    s.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      if (head) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0) return;
        if (!rest.subarray(0, end).toString().includes(' 101 ')) return fail(new Error(rest.toString()));
        rest = rest.subarray(end + 4);
        head = false;
        done({ send, close: () => s.destroy() });
      }
      for (;;) {
        if (rest.length < 2) return;
        let n = rest[1] & 127;
        let at = 2;
        if (n === 126) (n = rest.length < 4 ? Infinity : rest.readUInt16BE(2)), (at = 4);
        else if (n === 127) (n = rest.length < 10 ? Infinity : Number(rest.readBigUInt64BE(2))), (at = 10);
        if (rest.length < at + n) return;
        parts.push(rest.subarray(at, at + n));
        if (rest[0] & 0x80) {
          if ((rest[0] & 15) <= 1) hear(Buffer.concat(parts).toString());
          parts = [];
        }
        rest = rest.subarray(at + n);
      }
    });
  });
}

async function bidi(url, on) {
  const waiting = new Map();
  let next = 1;
  const socket = await webSocket(url, (text) => {
    const m = JSON.parse(text);
    if (m.id === undefined) return on(m);
    const w = waiting.get(m.id);
    waiting.delete(m.id);
    if (m.type === 'error') w.fail(new Error(`${m.error}: ${m.message}`));
    else w.done(m.result);
  });
  return {
    close: socket.close,
    call: (method, params = {}) =>
      new Promise((done, fail) => {
        const id = next++;
        waiting.set(id, { done, fail });
        socket.send(JSON.stringify({ id, method, params }));
      }),
  };
}

describe('Firefox', { skip: skip || (firefox ? false : 'firefox-esr is not installed') }, () => {
  test('a game is begun: a move is played and answered', { timeout: 120000 }, async () => {
    const server = await serve(site);
    const profile = mkdtempSync(join(tmpdir(), 'keiko-firefox-'));
    const child = spawn(firefox, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: profile, MOZ_HEADLESS: '1' } });
    const errors = [];
    try {
      const url = await new Promise((done, fail) => {
        let said = '';
        const hear = (text) => {
          said += text;
          const m = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(said);
          if (m) done(m[1]);
        };
        child.stdout.on('data', hear);
        child.stderr.on('data', hear);
        child.on('exit', () => fail(new Error(`Firefox ended: ${said}`)));
      });
      const f = await bidi(`${url}/session`, (m) => m.method === 'log.entryAdded' && m.params.level === 'error' && errors.push(m.params.text));
      await f.call('session.new', { capabilities: {} });
      await f.call('session.subscribe', { events: ['log.entryAdded'] });
      const { contexts } = await f.call('browsingContext.getTree');
      const context = contexts[0].context;
      await f.call('browsingContext.navigate', { context, url: `${server.url}?lang=en#/othello`, wait: 'complete' });
      const run = async (expression) => {
        const r = await f.call('script.evaluate', { expression, target: { context }, awaitPromise: true });
        if (r.type === 'exception') throw new Error(r.exceptionDetails.text);
        return r.result.value;
      };
      const until = async (expression) => {
        for (let i = 0; i < 300; i++) {
          if (await run(expression)) return;
          await new Promise((done) => setTimeout(done, 200));
        }
        throw new Error(`never true: ${expression}`);
      };
      await until(`document.querySelectorAll('.cell.can').length === 4`);
      const at = JSON.parse(await run(`(() => { const r = document.querySelector('[data-seen="37"]').getBoundingClientRect(); return JSON.stringify({ x: Math.round(r.x + r.width / 2), y: Math.round(r.y + r.height / 2) }); })()`));
      await f.call('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: [{ type: 'pointerMove', ...at }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] }] });
      await until(`document.querySelectorAll('.moves .mv').length === 2`);
      assert.equal(await run(`document.querySelector('.moves .mv').innerText`), 'f5');
      assert.deepEqual(errors, []);
      f.close();
    } finally {
      const gone = new Promise((done) => child.on('exit', done));
      child.removeAllListeners('exit');
      child.on('exit', () => {});
      child.kill('SIGKILL');
      await Promise.race([gone, new Promise((done) => setTimeout(done, 2000))]);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
      await server.close();
    }
  });
});
