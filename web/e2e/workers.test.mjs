// The Train view shows the learners and workers of a NATS server live.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { browser, phone, skip } from './browser.mjs';
import { program, serveProgram, unserved } from './program.mjs';

function reason() {
  if (skip || unserved) return skip || unserved;
  try {
    execFileSync('nats-server', ['--version'], { stdio: 'pipe' });
  } catch {
    return 'nats-server is not installed';
  }
  return /nats/.test(execFileSync(program, ['--version'], { encoding: 'utf8' })) ? false : 'this keiko was built without libnats';
}

const freePort = () =>
  new Promise((done) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
  });

describe('workers', { skip: reason() }, () => {
  let b, server, dir, url;
  const children = [];
  const run = (name, args) => {
    const c = spawn(name, args, { stdio: 'ignore' });
    children.push(c);
    return c;
  };
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'keiko-nats-'));
    const port = await freePort();
    url = `nats://127.0.0.1:${port}`;
    run('nats-server', ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', dir]);
    server = await serveProgram(['--nats', url]);
    b = await browser({ server });
  });
  after(async () => {
    for (const c of children) c.kill('SIGKILL');
    await b?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('a learner and a worker appear, with rate and generation', async () => {
    const { page, context, errors } = await b.page();
    await page.goto(`${b.url}#/train`);
    await page.getByText('Nobody is at work.').waitFor();
    const options = ['--net', 'c=8 b=1', '--in-flight', '16', '--sims', '8', '--round', '60', '--batch', '32', '--fill', '200', '--eval-every', '0', '--threads', '1', '--minutes', '30'];
    run(program, ['train', 'tictactoe', '--run', join(server.data, 'runs/shared'), '--nats', url, ...options]);
    run(program, ['worker', '--nats', url, '--threads', '1', '--name', 'box-1']);
    await page.waitForSelector('.workers [data-kind=learner]');
    await page.waitForSelector('.workers [data-kind=worker]');
    assert.match(await page.locator('.workers [data-kind=learner]').innerText(), /^shared/);
    await page.waitForFunction(() => /box-1.*shared.*plays/s.test(document.querySelector('.workers [data-kind=worker]').textContent));
    await page.waitForFunction(() => Number(document.querySelector('.workers [data-kind=worker] td:nth-of-type(2)').textContent.replace(/,/g, '')) > 0);
    assert.deepEqual(errors, []);
    await context.close();
    for (const [options, query] of [[{}, '?theme=dark&lang=ja'], [phone, '?theme=light&lang=en']]) {
      const other = await b.page(options);
      await other.page.goto(`${b.url}${query}#/train`);
      await other.page.waitForSelector('.workers [data-kind=worker]');
      assert.ok(await other.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off');
      if (process.env.SHOTS) await other.page.locator('.workers').scrollIntoViewIfNeeded(), await other.page.screenshot({ path: `${process.env.SHOTS}/workers${query.slice(7)}.png` });
      await other.context.close();
    }
  });
});
