// keiko report: one file that opens from a folder, with the page's charts, tables and boards; no requests, no errors.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { axe, browser, phone, site, skip } from './browser.mjs';
import { program } from './program.mjs';

const without = skip || (!existsSync(program) && `${program} is missing: make`) || (!existsSync(join(site, '../report.html')) && 'build/report.html is missing: make site');

describe('keiko report', { skip: without }, () => {
  let b, dir;
  const keiko = (...args) => execFileSync(program, args, { cwd: dir, stdio: 'pipe', encoding: 'utf8' });
  const write = (run, out, ...more) => keiko('report', run, '-o', out, '--template', join(site, '../report.html'), ...more);
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'keiko-report-'));
    b = await browser();
    keiko('train', 'tictactoe', '--run', 'run', '--steps', '400', '--eval-every', '100', '--eval-games', '8', '--lr', '0.001', '-q');
    write('run', 'run.html');
    keiko('bench', '-g', 'othello', '-p', 'random;greedy;</script><b>=alphabeta:depth=1', '-n', '4', '-q', '-o', 'bench');
    write('bench', 'bench.html', '--replays', '5');
    keiko('bench', '-g', 'tictactoe', '-p', 'mcts:sims=50;random', '--sprt', 'elo0=0,elo1=100', '-q', '-o', 'sprt');
    write('sprt', 'sprt.html');
    keiko('bench', '-g', 'contrast', '-p', 'random;rule;d1=alphabeta:depth=1;d2=alphabeta:depth=2', '-n', '2', '-q', '-o', 'four');
    write('four', 'four.html');
  });
  after(async () => {
    await b?.close();
    if (dir) rmSync(dir, { recursive: true, force: true });
  });

  async function opened(file, options = {}, query = '?lang=en&theme=light') {
    const { page, context } = await b.page({ ...options, bypassCSP: true });
    const bad = [];
    const url = pathToFileURL(join(dir, file)).href;
    page.on('pageerror', (e) => bad.push(String(e)));
    page.on('console', (m) => m.type() === 'error' && bad.push(m.text()));
    page.on('request', (r) => r.url().split('?')[0] !== url && !r.url().startsWith('data:') && bad.push(`request to ${r.url()}`));
    await page.goto(url + query);
    await page.waitForSelector('main');
    return { page, context, bad };
  }
  const charts = (page) => page.locator('[data-chart] canvas').count();
  // A chart shows something: its canvas has more than one colour.
  const drawn = (page, name) =>
    page.waitForFunction((n) => {
      const c = document.querySelector(`[data-chart="${n}"] canvas`);
      const at = c?.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      return at && new Set(new Uint32Array(at.buffer)).size > 3;
    }, name);

  test('a tic-tac-toe run: curves, summary, games, options; steps or time', async () => {
    const { page, context, bad } = await opened('run.html');
    for (const name of ['perfect', 'elo', 'loss', 'speed', 'opponents', 'lr', 'threads', 'stages']) await drawn(page, name);
    assert.ok((await charts(page)) > 12);
    assert.match(await page.locator('[data-table=summary]').innerText(), /Elo\s+\d+ \(\d+ – \d+\) at step/);
    assert.ok(Number(await page.locator('[data-right]').getAttribute('data-right')) > 0.5);
    assert.match(await page.title(), /Tic-tac-toe/);
    await page.waitForSelector('[data-table=selfplay] svg.mini');
    await page.getByRole('slider').fill('1');
    await page.waitForFunction(() => document.querySelectorAll('[data-table=selfplay] svg.mini .mark').length === 1);
    await page.getByRole('button', { name: 'Time' }).click();
    await drawn(page, 'elo');
    await page.locator('#lang').click();
    await page.waitForFunction(() => document.querySelector('[data-table=summary] h2').textContent === '概要');
    await drawn(page, 'elo');
    assert.deepEqual(bad, []);
    await context.close();
  });

  test('values under the pointer', async () => {
    const { page, context, bad } = await opened('run.html');
    await drawn(page, 'elo');
    await page.locator('[data-chart=elo] .u-over').hover();
    await page.waitForFunction(() => /\d+ \(\d+ – \d+\)/.test(document.querySelector('[data-chart=elo] .tip:not([hidden])')?.textContent ?? ''));
    assert.deepEqual(bad, []);
    await context.close();
  });

  test('numbers left of a chart are whole; the last step shows its learning', async () => {
    const { page, context, bad } = await opened('run.html');
    await drawn(page, 'lr'); // 0.00105
    const ink = await page.evaluate(() => {
      const c = document.querySelector('[data-chart=lr] canvas');
      return new Uint32Array(c.getContext('2d').getImageData(0, 0, 2, c.height).data.buffer).some((pixel) => pixel !== 0);
    });
    assert.equal(ink, false, 'something touches the left edge');
    const box = await page.locator('[data-chart=stages] .u-over').boundingBox();
    await page.locator('[data-chart=stages] .u-over').hover({ position: { x: box.width - 2, y: 20 } });
    await page.waitForFunction(() => /learn: [1-9]/.test(document.querySelector('[data-chart=stages] .tip:not([hidden])')?.textContent ?? ''));
    assert.deepEqual(bad, []);
    await context.close();
  });

  test('Contrast: four curves in four colours', async () => {
    const { page, context, bad } = await opened('four.html');
    await drawn(page, 'convergence');
    await page.locator('[data-chart=convergence] .u-over').hover();
    await page.waitForSelector('[data-chart=convergence] .tip:not([hidden])');
    const colours = await page.locator('[data-chart=convergence] .tip div[style]').evaluateAll((rows) => rows.map((e) => e.style.color));
    assert.equal(new Set(colours).size, 4, colours.join());
    assert.deepEqual(bad, []);
    await context.close();
  });

  test('a bench: ratings, matchups, convergence, numbers, a replay; names are texts', async () => {
    const { page, context, bad } = await opened('bench.html');
    assert.equal(await page.locator('[data-table=ratings] tbody tr:not(.scale)').count(), 3);
    assert.equal(await page.locator('.heat tbody td.on').count(), 6);
    await drawn(page, 'convergence');
    const rows = await page.locator('[data-table=matchups] tbody tr').allInnerTexts();
    assert.equal(rows.length, 3);
    for (const row of rows) assert.match(row, /^\S+\t\S+\t\d\t\d\t\d\t((over|under) [+-]\d+\t|[+-]?\d+\t\S+ to \S+)\t\d · \d · \d · \d · \d$/);
    assert.ok((await page.locator('[data-table=numbers]').innerText()).includes('</script><b>'));
    assert.equal(await page.locator('[data-table=all-games] tbody tr').count(), 12);
    assert.equal(await page.locator('.gamelist button').count(), 5); // of 12, from the whole run
    await page.locator('.gamelist button').first().click();
    await page.waitForSelector('.replay svg.mini .disc');
    await page.getByRole('slider').fill('0');
    await page.waitForFunction(() => document.querySelectorAll('.replay svg.mini .disc').length === 4);
    assert.deepEqual(bad, []);
    await context.close();
  });

  test('a bench that is being played says so', async () => {
    const child = spawn(program, ['bench', '-g', 'tictactoe', '-p', 'mcts:sims=3000;random', '-n', '100000', '-q', '-o', 'live'], { cwd: dir, stdio: 'ignore' });
    const ended = once(child, 'exit');
    try {
      for (let tries = 0; tries < 200 && !existsSync(join(dir, 'live/bench.db')); tries++) await setTimeout(50);
      for (let tries = 0; ; tries++) {
        try {
          write('live', 'live.html');
          break;
        } catch (e) {
          if (tries === 50) throw e; // its first games are not written yet
          await setTimeout(100);
        }
      }
      const { page, context, bad } = await opened('live.html');
      assert.equal(await page.locator('.reporthead .chip').innerText(), 'live');
      assert.deepEqual(bad, []);
      await context.close();
    } finally {
      child.kill();
      await ended;
    }
  });

  test('a sequential test: the course of its LLR', async () => {
    const { page, context, bad } = await opened('sprt.html');
    await drawn(page, 'sprt');
    assert.match(await page.locator('[data-chart=sprt] .chip').innerText(), /stronger/);
    assert.deepEqual(bad, []);
    await context.close();
  });

  test('phone and dark: nothing is cut off; axe has no serious findings', async () => {
    for (const [file, options, query] of [['run.html', phone, '?lang=ja&theme=dark'], ['bench.html', phone, '?lang=ja&theme=light'], ['run.html', {}, '?lang=en&theme=light'], ['bench.html', {}, '?lang=en&theme=dark']]) {
      const { page, context, bad } = await opened(file, options, query);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${file} ${query}`);
      assert.deepEqual(await axe(page), [], `${file} ${query}`);
      assert.deepEqual(bad, []);
      await context.close();
    }
  });

  test('in Japanese no label and no sentence is left in English', async () => {
    for (const file of ['run.html', 'bench.html', 'sprt.html']) {
      const { page, context } = await opened(file, {}, '?lang=ja&theme=light');
      // Names of players, options and files are not words; neither are units.
      const english = await page.evaluate(() => {
        const names = new Set([...document.querySelectorAll('[data-table=numbers] tbody th')].map((e) => e.textContent));
        return [...document.querySelectorAll('h1, h2, th, td.wraps, p, .chip, .pick button, option, .mute')]
          .filter((e) => !e.closest('[data-table=options], .runname') && !names.has(e.textContent))
          .map((e) => [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join(' ').trim())
          .filter((text) => /[A-Za-z]{3}/.test(text) && !/[ぁ-んァ-ヶ一-龠]/.test(text));
      });
      const known = /^(Elo|CPU ms|random|greedy|d\d|mcts:\S+|alphabeta:\S+|UTC|\d{4}-.* UTC|\d+\.\d+\.\d+.*|\(\s*[0-9a-f]+\s*\)|avx.*|\S+\.db|<\/script><b>.*)$/;
      assert.deepEqual(english.filter((text) => !known.test(text)), [], file);
      await context.close();
    }
  });

  test('without the template: plain tables from the same document', async () => {
    keiko('report', 'bench', '-o', 'plain.html', '--template', 'none');
    assert.match(readFileSync(join(dir, 'plain.html'), 'utf8'), /make site/);
    const { page, context, bad } = await opened('plain.html');
    await page.waitForSelector('table');
    assert.ok((await page.locator('main').innerText()).includes('</script><b>'));
    assert.deepEqual(bad, []);
    await context.close();
  });
});
