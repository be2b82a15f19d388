// The Puyo tab: a match by keyboard, a score attack by touch, the advisor, practice, simulation, the chain editor, replays.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { browser, phone, skip } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const soak = process.env.KEIKO_SOAK ? false : 'only under make soak';

describe('puyo tab', { skip, concurrency: 3 }, () => {
  let b;
  before(async () => {
    b = await browser();
  });
  after(() => b?.close());
  const open = async (options, hash) => {
    const p = await b.page(options);
    await p.page.goto(`${b.url}${hash}`);
    await p.page.waitForSelector('.puyoview');
    return p;
  };
  const value = (page, selector, name) => page.locator(selector).first().getAttribute(name);

  test('versus by keyboard: pairs fall, Escape pauses, somebody loses, and the game can be seen again', async () => {
    const { page, context, errors } = await open({}, '?seed=7&lang=en#/puyo/versus');
    await page.locator('[data-act=begin]').click();
    await page.waitForFunction(() => document.querySelectorAll('.pv-fields canvas').length === 2);
    await page.waitForTimeout(600);
    await page.keyboard.press('Escape');
    await page.waitForSelector('.pv-cover');
    const clock = await page.locator('[data-clock]').innerText();
    await page.waitForTimeout(1300);
    assert.equal(await page.locator('[data-clock]').innerText(), clock, 'time stands still');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !document.querySelector('.pv-cover'));
    // Everything into the middle: the field is full after six pairs.
    for (let i = 0; i < 300 && (await page.locator('.pv-ending').count()) === 0; i++) {
      await page.keyboard.press('z');
      await page.keyboard.press('x');
      await page.keyboard.press('Space');
      await page.waitForTimeout(250);
    }
    await page.waitForSelector('.pv-ending');
    assert.equal(await value(page, '.pv-ending', 'data-end'), 'lose');
    await page.locator('.pv-ending a').click();
    await page.waitForFunction(() => Number(document.querySelector('.pv-range')?.dataset.frames) > 300);
    await page.locator('.pv-range').evaluate((e) => {
      e.value = e.max;
      e.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await page.waitForFunction(() => document.querySelector('.pv-fields .me .big').textContent !== '0');
    assert.deepEqual(errors, []);
    await context.close();
  });

  for (const [name, script] of [
    ['full', () => { localStorage.setItem('keiko.puyo.games', '[{"v":1,"kind":"solo","level":1,"seed":99,"seconds":60,"rests":[[0,"1u",90]],"result":"time","points":[1]}]'); Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }],
    ['forbidden', () => { Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } }); }],
  ])
    test(`a game ends and is seen again also where the store is ${name}`, async () => {
      const { page, context, errors } = await b.page();
      await context.addInitScript(script);
      await page.goto(`${b.url}?seed=7&lang=en#/puyo/solo`);
      await page.locator('[data-act=begin]').click();
      for (let i = 0; i < 300 && (await page.locator('.pv-ending').count()) === 0 && errors.length === 0; i++) {
        await page.keyboard.press('Space');
        await page.waitForTimeout(250);
      }
      assert.deepEqual(errors, []);
      await page.waitForSelector('.pv-ending');
      if (name === 'forbidden') assert.match(await page.locator('.pv-side').innerText(), /keeps no games/);
      await page.locator('.pv-ending a').click();
      await page.waitForFunction(() => Number(document.querySelector('.pv-range')?.dataset.frames) > 100);
      assert.match(page.url(), /k=solo.*&s=7&/);
      assert.deepEqual(errors, []);
      await context.close();
    });

  test('an engine that cannot be loaded is named where a game should begin', async () => {
    const { page, context } = await b.page();
    await page.route('**/keiko.wasm', (r) => r.abort());
    await page.goto(`${b.url}?lang=en#/puyo/versus`);
    await page.locator('[data-act=begin]').click();
    await page.waitForSelector('.pv-ending[data-end=failed] .error');
    assert.equal(await page.locator('.pv-ending a').count(), 0);
    await context.close();
  });

  test('score attack by touch at 390 px: drag moves, tap turns, swipe drops', async () => {
    const { page, context, errors } = await open(phone, '?seed=7&lang=en#/puyo/solo');
    await page.locator('[data-act=begin]').tap();
    const box = await page.locator('.me canvas').boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844);
    const touch = await page.context().newCDPSession(page);
    const point = (type, x, y) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
    const gesture = async (points) => {
      await point('touchStart', ...points[0]);
      for (const p of points.slice(1)) await point('touchMove', ...p);
      await point('touchEnd');
    };
    const [cx, cy, w] = [box.x + box.width / 2, box.y + box.height / 2, box.width / 6];
    let played = 0;
    for (let i = 0; i < 300 && (await page.locator('.pv-ending').count()) === 0; i++) {
      await page.waitForTimeout(120);
      if (i % 6 === 0) await gesture([[cx, cy], [cx + w * 0.6, cy], [cx + w * 1.1, cy]]);
      if (i % 6 === 2) await gesture([[cx, cy]]);
      await gesture([[cx, cy], [cx, cy + 40], [cx, cy + 120]]);
      played++;
      await page.waitForTimeout(120);
    }
    assert.ok(played > 4);
    await page.waitForSelector('.pv-ending');
    assert.equal(await value(page, '.pv-ending', 'data-end'), 'buried');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing is cut off');
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('the game pauses when the tab is hidden', async () => {
    const { page, context } = await open({}, '?seed=7&lang=en#/puyo/solo');
    await page.locator('[data-act=begin]').click();
    await page.waitForTimeout(300);
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.waitForSelector('.pv-cover');
    await context.close();
  });

  test('advisor: a field by mouse and keys, the advice with its parts, a placement and back', async () => {
    const { page, context, errors } = await open({}, '?lang=en#/puyo/advisor?f=......&p=YG&n=GR&m=seed');
    const canvas = page.locator('.pv-edit canvas');
    const box = await canvas.boundingBox();
    const at = (c, r) => ({ position: { x: ((c + 0.5) * box.width) / 6, y: box.height - ((r + 0.5) * box.height) / 12.5 } });
    await page.getByRole('radio', { name: 'red' }).click();
    await canvas.click(at(0, 0));
    await canvas.click(at(1, 0));
    await canvas.focus();
    for (const key of ['ArrowUp', 'ArrowUp', 'y', 'ArrowUp', 'y']) await page.keyboard.press(key); // the first key shows the cursor
    await page.waitForFunction(() => location.hash.includes('f=Y...../Y...../RR....'));
    await page.waitForFunction(() => document.querySelectorAll('.pv-moves li').length === 22 && document.querySelector('.pv-best').dataset.move === '2r');
    await page.locator('.pv-moves button').filter({ hasText: 'Column 1, upside down' }).click();
    await page.waitForSelector('.pv-best[data-move="1d"][data-total="-23"]'); // the check of the specification
    await page.waitForFunction(() => document.querySelectorAll('.pv-bars tr').length === 6);
    await page.locator('[data-act=place]').click();
    await page.waitForFunction(() => location.hash.includes('p=GR'));
    await page.locator('[data-act=undo]').click();
    await page.waitForFunction(() => location.hash.includes('p=YG'));
    await page.getByText('plus', { exact: true }).click();
    await page.waitForFunction(() => /fold in time/.test(document.querySelector('.pv-best')?.textContent ?? ''));
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('GTR practice: some moves, as advised and not, one taken back', async () => {
    const { page, context, errors } = await open({}, '?seed=3&lang=en#/puyo/practice');
    await page.waitForSelector('.pv-best');
    const turn = (n) => page.waitForFunction((k) => document.querySelector('[data-turn]').dataset.turn === String(k), n);
    await page.locator('[data-act=advised]').click();
    await turn(1);
    await page.keyboard.press('a');
    await turn(2);
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'x', 'ArrowDown']) await page.keyboard.press(key);
    await turn(3);
    await page.waitForFunction(() => /^[23] \/ 3$/.test(document.querySelector('[data-stat=placed]').innerText));
    await page.locator('[data-act=back]').click();
    await turn(2);
    for (let n = 3; n <= 15 && (await page.locator('.pv-ending').count()) === 0; n++) {
      await page.locator('[data-act=advised]').click();
      await turn(n);
    }
    await page.waitForSelector('.pv-ending');
    assert.match(await page.locator('[data-stat=folds]').innerText(), /\/ 1/);
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('GTR practice: a held key places one pair, and undo counts while the pair still falls', async () => {
    const { page, context, errors } = await open({ reducedMotion: 'no-preference' }, '?seed=3&lang=en#/puyo/practice');
    await page.waitForSelector('.pv-best');
    const turn = () => value(page, '[data-turn]', 'data-turn');
    const advised = () => value(page, '.pv-best', 'data-move');
    const first = await advised();
    await page.evaluate(() => {
      for (let i = 0; i < 3; i++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
    });
    await page.waitForFunction(() => document.querySelector('[data-turn]').dataset.turn === '1');
    await page.waitForTimeout(1500);
    assert.equal(await turn(), '1');
    assert.equal(await page.locator('[data-stat=placed]').innerText(), '1 / 1');
    await page.keyboard.press('a');
    await page.keyboard.press('u');
    await page.waitForTimeout(1500);
    assert.equal(await turn(), '1');
    await page.keyboard.press('u');
    await page.waitForFunction(() => document.querySelector('[data-turn]').dataset.turn === '0');
    assert.equal(await advised(), first);
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('simulation: the curves grow, and it can be stopped', async () => {
    const { page, context, errors } = await open({}, '?seed=3&lang=en#/puyo/simulate');
    await page.waitForSelector('[data-act=run]');
    await page.locator('#settings').click(); // dialogs work here, too
    await page.waitForSelector('dialog[open]');
    await page.keyboard.press('Escape');
    await page.locator('[data-act=run]').click();
    const points = () => page.evaluate(() => [...document.querySelectorAll('[data-curve]')].map((g) => Number(g.dataset.points)));
    await page.waitForFunction(() => document.querySelectorAll('[data-curve]').length === 4);
    const first = await points();
    await page.waitForFunction((n) => Number(document.querySelector('[data-curve]').dataset.points) > n + 2, first[0]);
    await page.locator('[data-act=stop]').click();
    await page.waitForSelector('[data-act=run]');
    const then = await points();
    await page.waitForTimeout(400);
    assert.deepEqual(await points(), then);
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('chain editor: import, the chain, the address, and a puzzle that is played', async () => {
    const { page, context, errors } = await open({}, '?lang=en#/puyo/editor');
    await page.locator('.pv-side textarea').fill('RG..../RG..../GR..../GR..../GR....');
    await page.locator('[data-act=load]').click();
    await page.waitForFunction(() => location.hash.includes('RG..../'));
    await page.locator('.pv-side textarea').fill('RRRG../GGGRYY');
    await page.locator('[data-act=load]').click();
    await page.waitForFunction(() => location.hash.includes('RRRG../GGGRYY'));
    const address = await page.getByLabel('Address at puyop.com').inputValue();
    assert.match(address, /puyop\.com\/s\//);
    await page.getByLabel('Pairs to come').fill('RR,GB,YY');
    await page.waitForFunction((old) => document.querySelector('input[readonly]').value !== old, address);
    await page.locator('[data-act=puzzle]').click();
    await page.waitForSelector('.stage');
    assert.match(await page.locator('.mid').innerHTML(), /aria-label="GB"/);
    await page.goto(`${b.url}?lang=en#/puyo/editor?f=RRRR..&p=RG`);
    await page.reload();
    await page.waitForFunction(() => document.querySelector('[data-chain]')?.dataset.chain === '1');
    await page.waitForFunction(() => document.querySelector('[data-points]').dataset.points === '40');
    await page.locator('[data-act=run]').click();
    await page.waitForSelector('.chainbox');
    await page.locator('.pv-side textarea').fill('nonsense');
    await page.locator('[data-act=load]').click();
    await page.waitForSelector('[role=alert]');
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('axe: every page, light on a desktop and dark on a phone', async () => {
    for (const [options, query] of [[{}, '?theme=light&lang=en'], [phone, '?theme=dark&lang=ja']]) {
      const { page, context, errors } = await b.page({ ...options, bypassCSP: true });
      for (const name of ['versus', 'solo', 'practice', 'advisor', 'simulate', 'editor']) {
        await page.goto(`${b.url}${query}#/puyo/${name}`);
        await page.waitForSelector(`.pv-tabs [aria-current][href$="${name}"]`);
        await page.waitForTimeout(150);
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
        assert.deepEqual(found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${name} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target).join(' | ')}`), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: nothing is cut off`);
      }
      assert.deepEqual(errors, []);
      await context.close();
    }
  });

  test('soak: against the strongest level until somebody loses', { skip: soak }, async () => {
    const { page, context, errors } = await open({}, '?seed=11&lang=en#/puyo/versus');
    await page.getByRole('slider').fill('10');
    await page.locator('[data-act=begin]').click();
    const keys = ['ArrowLeft', 'ArrowRight', 'z', 'x', 'ArrowDown', 'ArrowLeft', 'ArrowRight', ' '];
    for (let i = 0; i < 4000 && (await page.locator('.pv-ending').count()) === 0; i++) {
      await page.keyboard.press(keys[(i * 7 + ((i / 5) | 0)) % keys.length] === ' ' ? 'Space' : keys[(i * 7 + ((i / 5) | 0)) % keys.length]);
      await page.waitForTimeout(60);
    }
    await page.waitForSelector('.pv-ending');
    assert.notEqual(await value(page, '.pv-ending', 'data-end'), 'failed');
    assert.deepEqual(errors, []);
    await context.close();
  });
});
