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
