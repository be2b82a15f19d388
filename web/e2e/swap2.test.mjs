// The opening rule swap2: three stones, a choice, two more stones; people and agents on either side, by mouse and by touch.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { browser, cell, open, phone, skip } from './browser.mjs';

const inputs = { mouse: ['click', {}], touch: ['tap', phone] };
const count = (page, n) => page.waitForFunction((k) => document.querySelectorAll('.moves .mv').length === k, n);
const step = (page, part) => page.waitForFunction((p) => document.querySelector('.steps')?.textContent.includes(p), part);
const players = (page) => page.locator('.who .seat').allInnerTexts();

describe('swap2', { skip }, () => {
  let b;
  before(async () => {
    b = await browser();
  });
  after(() => b?.close());

  async function begin(game, how, mode) {
    const [act, options] = inputs[how];
    const { page, context, errors } = await b.page(options);
    await open(page, b.url, `#/${game}`);
    const tab = async (n) => how === 'touch' && (await page.getByRole('tab').nth(n).tap());
    await tab(3);
    if (mode) await page.getByRole('combobox', { name: 'Players' }).selectOption(mode);
    await page.getByRole('combobox', { name: 'Opening rule' }).selectOption('swap2');
    await tab(0);
    await page.waitForSelector('.steps');
    return {
      page,
      errors,
      context,
      // Stones in turn, the k-th becoming move number from + k.
      async put(at, from = 0) {
        for (const [k, n] of at.entries()) {
          await cell(page, n)[act]();
          await count(page, from + k + 1);
        }
      },
      choose: (what) => page.locator(`[data-swap=${what}]`)[act](),
      press: (what) => page.locator(`[data-act=${what}]`)[act](),
    };
  }

  for (const how of Object.keys(inputs)) {
    test(`two people by ${how}: two more stones, then black`, async () => {
      const { page, put, choose, press, errors, context } = await begin('renju', how, 'people');
      await step(page, 'Player 1: place 3 more');
      await put([112, 97]);
      await press('undo'); // a stone that was just placed is taken back
      await step(page, 'place 2 more');
      await cell(page, 98)[inputs[how][0]]();
      await step(page, 'place 1 more');
      await cell(page, 126)[inputs[how][0]]();
      await step(page, 'Player 2: choose a colour');
      assert.equal(await page.locator('.cell.can').count(), 0); // nobody plays before the choice
      await page.reload(); // nothing is lost
      await step(page, 'Player 2: choose a colour');
      await choose('two');
      await step(page, 'Player 2: place 2 more');
      await cell(page, 30)[inputs[how][0]]();
      await step(page, 'place 1 more');
      await cell(page, 180)[inputs[how][0]]();
      await step(page, 'Player 1: choose a colour');
      assert.equal(await page.locator('[data-swap=two]').count(), 0);
      await choose('black');
      await page.waitForSelector('.steps', { state: 'detached' });
      assert.match((await players(page))[1], /White.*to move|to move.*White/s);
      assert.ok(await page.locator('[data-act=undo]').isDisabled()); // the opening stands
      await cell(page, 0)[inputs[how][0]]();
      await page.waitForFunction(() => !document.querySelector('[data-act=undo]').disabled);
      assert.deepEqual(errors, []);
      await context.close();
    });

    test(`a person opens by ${how}, the agent chooses and the game goes on`, async () => {
      const { page, put, choose, press, errors, context } = await begin(how === 'mouse' ? 'gomoku' : 'freestyle', how, 'first');
      await step(page, 'You: place 3 more');
      await put([112, 97, 128]);
      // It takes a colour, or places two more and lets the person choose.
      await page.waitForFunction(() => !document.querySelector('.steps') || document.querySelector('[data-swap=black]'));
      if (await page.locator('[data-swap=black]').count()) await choose('black');
      await page.waitForSelector('.steps', { state: 'detached' });
      assert.equal((await players(page)).filter((x) => /You/.test(x)).length, 1);
      const before = await page.locator('.moves .mv').count();
      await page.waitForFunction(() => document.querySelector('.cell.can'));
      await page.locator('.cell.can').first()[inputs[how][0]]();
      await page.waitForFunction((n) => document.querySelectorAll('.moves .mv').length >= n + 2, before);
      await press('new'); // again by swap2, the same player first
      await step(page, 'You: place 3 more');
      assert.deepEqual(errors, []);
      await context.close();
    });
  }

  test('the agent opens with three stones and the person takes white', async () => {
    const { page, choose, errors, context } = await begin('renju', 'mouse', 'second');
    await count(page, 3);
    await step(page, 'You: choose a colour');
    assert.equal(await page.locator('[data-swap]').count(), 3);
    await choose('white');
    await page.waitForFunction(() => document.querySelector('.cell.can')); // white moves next
    assert.match((await players(page))[1], /You/);
    assert.match((await players(page))[0], /Level 3/);
    await page.getByRole('combobox', { name: 'Opening rule' }).selectOption(''); // without it again
    await page.waitForFunction(() => !document.querySelector('.steps') && document.querySelectorAll('.moves .mv').length <= 1);
    assert.deepEqual(errors, []);
    await context.close();
  });
});
