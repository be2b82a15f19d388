// What holds for every view: accessible, quiet, fits the screen, works offline, small.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { weightsInside } from '../weights.mjs';
import { axe, browser, open, phone, site, skip } from './browser.mjs';

const games = ['othello', 'renju', 'gomoku', 'contrast', 'puyo', 'puyo-solo', 'tictactoe'];

describe('quality', { skip }, () => {
  let b;
  before(async () => {
    b = await browser();
  });
  after(() => b?.close());

  for (const game of games)
    test(`axe: ${game}, light and dark, desktop and phone`, async () => {
      for (const [options, query] of [[{}, '?theme=light&lang=en'], [{}, '?theme=dark&lang=ja'], [phone, '?theme=light&lang=ja']]) {
        const { page, context, errors } = await b.page({ ...options, bypassCSP: true });
        await open(page, b.url, `${query}#/${game}`);
        assert.deepEqual(await axe(page), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off');
        assert.deepEqual(errors, []);
        await context.close();
      }
    });

  test('axe: dialogs', async () => {
    const { page, context } = await b.page({ bypassCSP: true });
    await open(page, b.url, '#/othello?m=f5_d6_c3_d3_c4');
    for (const button of ['#settings', '[data-act=share]', '[data-act=edit]', '.who .tool >> nth=0']) {
      await page.locator(button).click();
      await page.waitForSelector('dialog[open]');
      assert.deepEqual(await axe(page), [], button);
      await page.keyboard.press('Escape');
    }
    await context.close();
  });

  // What somebody must reach without scrolling, on small phones, phones on their side and low windows.
  const inSight = (page, selector) => page.evaluate((s) => {
    const e = [...document.querySelectorAll(s)].find((x) => x.getBoundingClientRect().width > 0);
    if (!e) return `${s} is not shown`;
    const r = e.getBoundingClientRect();
    const bars = [...document.querySelectorAll('.top, .nav')].map((x) => x.getBoundingClientRect());
    const clear = bars.every((q) => r.bottom <= q.top + 1 || r.top >= q.bottom - 1);
    const at = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
    return clear && r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight + 1 && r.right <= innerWidth + 1 && (e.contains(at) || at?.contains(e) || at?.closest('.pv-begin')) ? '' : `${s} is cut off or covered`;
  }, selector);
  const touch = { hasTouch: true, isMobile: true };
  for (const [width, height, how] of [[360, 640, touch], [844, 390, touch], [667, 375, touch], [1000, 700, {}], [1280, 640, {}]])
    test(`in sight: ${width} x ${height}`, async () => {
      const { page, context, errors } = await b.page({ ...how, viewport: { width, height } });
      for (const [hash, all] of [
        ['#/othello', ['.grid', '[data-act=undo]', '[data-act=share]']],
        ['#/renju', ['.grid', '[data-act=hint]']],
        ['#/contrast', ['.grid', '.steps', ...(height > 640 ? ['[data-act=share]'] : [])]],
        ['#/puyo', ['.me .field', '.me .foot', ...(how.hasTouch ? ['.pad'] : ['[data-act=share]'])]],
        ['#/puyo/versus', ['.me .field', '.op .field', '[data-act=begin]', ...(how.hasTouch ? ['.pad'] : [])]],
        ['#/puyo/practice', ['.me .field', ...(how.hasTouch ? ['.pad'] : ['[data-act=advised]'])]],
        ['#/puyo/editor', ['.pv-edit .field', '.pv-colours']],
      ]) {
        await page.goto('about:blank'); // a page of its own for each
        await page.goto(`${b.url}${hash}`);
        await page.waitForSelector(all[0]);
        for (const s of all) assert.equal(await inSight(page, s), '', hash);
        const board = await page.locator(all[0]).first().boundingBox();
        assert.ok(board.height >= 180, `${hash}: ${all[0]} is ${Math.round(board.height)} high`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hash}: nothing is cut off`);
        if (!how.hasTouch) continue;
        if (hash === '#/contrast') { // half a move: its tiles and Confirm are there, too
          await page.locator('[data-seen="22"]').tap();
          await page.locator('[data-seen="17"]').tap();
          await page.waitForSelector('button.tilebtn');
          assert.equal(await inSight(page, '.steps .go'), '', hash);
        }
        const small = await page.evaluate(() => [...document.querySelectorAll('button, select, .choice label, .engine, .nav a, .pv-tabs a')].filter((e) => {
          const r = e.getBoundingClientRect();
          return r.width > 0 && (r.height < 40 || r.width < 40);
        }).map((e) => e.getAttribute('aria-label') ?? e.textContent));
        assert.deepEqual(small, [], `${hash}: fingers need 40 px`);
      }
      assert.deepEqual(errors, []);
      await context.close();
    });

  test('a slow line: the name is there before the scripts, which are all asked for at once', async () => {
    const { page, context } = await b.page();
    const asked = [];
    await page.route('**/*.js', (r) => void asked.push(r.request().url().slice(b.url.length))); // none is answered
    await page.goto(b.url, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelector('.top .brand')?.textContent.includes('keiko'));
    for (let i = 0; i < 50 && asked.length < 2; i++) await page.waitForTimeout(100);
    assert.ok(asked.includes('app.js') && asked.some((f) => f.startsWith('part-')), asked.join());
    await context.close();
  });

  test('works offline after the first visit', async () => {
    const { page, context } = await b.page({ serviceWorkers: 'allow' });
    await open(page, b.url, '#/othello');
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await context.setOffline(true);
    await page.goto(`${b.url}#/renju`);
    await page.reload();
    await page.waitForSelector('.stage');
    assert.match(await page.title(), /Renju/);
    assert.equal(await page.evaluate(async () => (await fetch('models/renju-weights.bin')).ok), true);
    await context.close();
  });

  test('the page without weights is under 400 kB gzip', () => {
    const size = (dir) => readdirSync(dir, { withFileTypes: true }).reduce((n, d) => n + (d.name === 'models' || d.name.endsWith('.gz') ? 0 : d.isDirectory() ? size(join(dir, d.name)) : gzipSync(readFileSync(join(dir, d.name)), { level: 9 }).length), 0);
    const page = size(site) - weightsInside(new URL('../..', import.meta.url).pathname);
    assert.ok(page < 400000, `${page}`);
  });
});
