// `keiko serve` for tests: on a free port, with a data folder of its own; it can be killed and started again at the same port.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { site } from './browser.mjs';

const top = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const program = process.env.KEIKO ?? join(top, 'build/keiko');

function reason() {
  if (!existsSync(program)) return `${program} is missing: make`;
  try {
    execFileSync(program, ['serve', '--help'], { stdio: 'pipe' });
    return false;
  } catch {
    return 'this keiko has no serve: it was built without libmicrohttpd';
  }
}
export const unserved = reason();

// `more`: further options of keiko serve.
export async function serveProgram(more = []) {
  const data = mkdtempSync(join(tmpdir(), 'keiko-e2e-'));
  let child = null;
  let port = 0;
  const start = () =>
    new Promise((done, fail) => {
      child = spawn(program, ['serve', '--port', String(port), '--data', data, '--site', site, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      const hear = (text) => {
        said += text;
        const m = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(said);
        if (!m) return;
        port = Number(m[1]);
        done(m[0]);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.on('exit', () => fail(new Error(`keiko serve ended: ${said}`)));
    });
  const ended = (signal) =>
    new Promise((done) => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return done();
      child.on('exit', done);
      child.kill(signal);
    });
  const url = await start();
  return {
    url,
    data,
    kill: () => ended('SIGKILL'),
    restart: start,
    async close() {
      await ended('SIGTERM');
      rmSync(data, { recursive: true, force: true });
    },
  };
}
