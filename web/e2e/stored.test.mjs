// Stored games: listed with result and date, opened, deleted; from the server where there is one, else from this browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { browser, cell, open, phone, says, skip } from './browser.mjs';
import { serveProgram, unserved } from './program.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const count = (page, n) => page.waitForFunction((k) => document.querySelectorAll('.moves .mv').length === k, n);
const rows = (page, n) => page.waitForFunction((k) => document.querySelectorAll('.stored li').length === k, n);

async function play(page, how, at) {
  for (const [i, n] of at.entries()) {
    await cell(page, n)[how]();
    await count(page, i + 1);
  }
}

async function story(b, how, options) {
  const { page, context, errors } = await b.page({ ...options, bypassCSP: true });
  const machine = page.waitForResponse(/api\/1\/machine/);
  await open(page, b.url, '#/tictactoe');
  await machine;
  if (how === 'tap') await page.getByRole('tab').nth(3).tap();
  await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
  if (how === 'tap') await page.getByRole('tab').nth(0).tap();
  await play(page, how, [4, 0, 2, 1, 6]);
  await page.waitForSelector('.ending');
  await page.locator('[data-act=new]')[how]();
  await count(page, 0);
  await play(page, how, [0, 4]);
  await page.locator('[data-act=stored]')[how]();
  await rows(page, 2);
  const texts = await page.locator('.stored .open').allInnerTexts();
  assert.match(texts[0], /Tic-tac-toe.*unfinished.*Player – Player · 2 moves/s);
  assert.match(texts[1], /X wins.*5 moves.*20\d\d/s);
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run('dialog', { resultTypes: ['violations'] }));
  assert.deepEqual(found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => v.id), []);
  await page.locator('.stored .open').nth(1)[how]();
  await page.waitForSelector('.ending');
  await count(page, 5);
  await page.reload(); // it is the game on the table now
  await page.waitForSelector('.ending');
  await page.locator('[data-act=stored]')[how]();
  await rows(page, 2);
  await page.locator('.stored li', { hasText: 'unfinished' }).getByRole('button', { name: 'Delete this game' })[how]();
  await rows(page, 1);
  assert.match(await page.locator('.stored .open').innerText(), /X wins/);
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  await page.locator('[data-act=stored]')[how]();
  await rows(page, 1);
  assert.deepEqual(errors, []);
  await context.close();
}

describe('stored games of this browser', { skip }, () => {
  let b;
  before(async () => {
    b = await browser();
  });
  after(() => b?.close());
  test('by mouse', () => story(b, 'click', {}));
  test('two tabs play the same game in two ways: both are kept, each once', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/tictactoe');
    await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
    await play(page, 'click', [4, 0]);
    const other = await context.newPage();
    await open(other, b.url, '#/tictactoe');
    await count(other, 2);
    const step = async (p, n, moves) => {
      await cell(p, n).click();
      await count(p, moves);
    };
    for (const [i, n] of [2, 6].entries()) {
      await step(page, n, 3 + i);
      await step(other, n + 1, 3 + i);
    }
    await step(page, 3, 5);
    await page.locator('[data-act=stored]').click();
    await rows(page, 2);
    const texts = await page.locator('.stored .open').allInnerTexts();
    assert.deepEqual(texts.map((text) => /· (\d) moves/.exec(text)[1]).sort(), ['4', '5']);
    await page.locator('.stored .open', { hasText: '4 moves' }).click();
    await count(page, 4);
    assert.deepEqual(await page.locator('.moves .mv').allInnerTexts(), ['b2', 'a3', 'a2', 'b1']);
    await page.locator('[data-act=stored]').click();
    await rows(page, 2);
    assert.deepEqual(errors, []);
    await context.close();
  });
  for (const [name, script] of [
    ['full', () => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }],
    ['forbidden', () => { Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } }); }],
  ])
    test(`a store that is ${name} is named, and the game goes on`, async () => {
      const { page, context, errors } = await b.page();
      await context.addInitScript(script);
      await open(page, b.url, '#/tictactoe');
      await cell(page, 4).click();
      await says(page, '.toast', /keeps no games/);
      await count(page, 2);
      await page.locator('[data-act=stored]').click();
      await says(page, 'dialog', /keeps no games.*There are no games yet/);
      assert.equal(await page.locator('dialog .error').count(), 0);
      assert.deepEqual(errors, []);
      await context.close();
    });
});

describe('stored games of the server', { skip: skip || unserved }, () => {
  let b;
  before(async () => {
    b = await browser({ server: await serveProgram() });
  });
  after(() => b?.close());
  test('by touch', () => story(b, 'tap', phone));
  test('a slow server gets the last moves of a game, also when the next one has begun', async () => {
    const { page, context, errors } = await b.page();
    const machine = page.waitForResponse(/api\/1\/machine/);
    await page.route(/api\/1\/sessions/, async (route) => {
      if (route.request().method() === 'POST') await new Promise((done) => setTimeout(done, 300));
      await route.continue();
    });
    await open(page, b.url, '#/tictactoe');
    await machine;
    await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
    const before = (await (await page.request.get(`${b.url}api/1/sessions`)).json()).total;
    await play(page, 'click', [4, 0, 2, 1, 6]);
    await page.waitForSelector('.ending');
    await page.locator('[data-act=new]').click();
    await count(page, 0);
    await play(page, 'click', [0, 4]);
    await page.locator('[data-act=stored]').click();
    await rows(page, before + 2);
    const texts = await page.locator('.stored .open').allInnerTexts();
    assert.match(texts[0], /unfinished.*2 moves/s);
    assert.match(texts[1], /X wins.*5 moves/s);
    assert.deepEqual(errors, []);
    await context.close();
  });
  test('a game against a level is there for another browser, with who played', async () => {
    const { page, context } = await b.page();
    const machine = page.waitForResponse(/api\/1\/machine/);
    await open(page, b.url, '#/othello');
    await machine;
    await cell(page, 37).click();
    await count(page, 2);
    await page.locator('[data-act=resign]').click();
    await page.waitForSelector('.ending');
    await page.locator('[data-act=stored]').click();
    await page.waitForSelector('.stored li');
    await context.close();
    const other = await b.page();
    await open(other.page, b.url, '#/renju');
    await other.page.locator('[data-act=stored]').click();
    const row = other.page.locator('.stored .open', { hasText: 'Othello' });
    assert.match(await row.innerText(), /White wins.*Player – Level 3 · 2 moves/s);
    await row.click();
    await other.page.waitForFunction(() => location.hash === '#/othello' && document.querySelectorAll('.moves .mv').length === 2);
    assert.match(await other.page.locator('.ending').innerText(), /You lose.*by resignation/s);
    assert.match(await other.page.locator('.who').innerText(), /Level 3/);
    assert.deepEqual(other.errors, []);
    await other.context.close();
  });
});
