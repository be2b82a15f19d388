// Whole games on boards by mouse, by keyboard and by touch at 390 px, two people at one board.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { browser, cell, moves, open, phone, played, skip } from './browser.mjs';

const inputs = { mouse: {}, keyboard: {}, touch: phone };

// Chooses a square as a person would: by pointing at it, or with arrows from where the focus is.
async function pick(page, how, seen, cols) {
  if (how === 'mouse') return cell(page, seen).click();
  if (how === 'touch') return cell(page, seen).tap();
  const from = await page.evaluate(() => {
    let e = document.activeElement;
    if (!e?.dataset?.seen) {
      e = document.querySelector('.stage [data-seen][tabindex="0"]');
      e.focus();
    }
    return Number(e.dataset.seen);
  });
  const [dr, dc] = [Math.floor(seen / cols) - Math.floor(from / cols), (seen % cols) - (from % cols)];
  for (let i = 0; i < Math.abs(dr); i++) await page.keyboard.press(dr > 0 ? 'ArrowDown' : 'ArrowUp');
  for (let i = 0; i < Math.abs(dc); i++) await page.keyboard.press(dc > 0 ? 'ArrowRight' : 'ArrowLeft');
  await page.keyboard.press('Enter');
}

async function people(page, how, url, game) {
  await open(page, url, `#/${game}`);
  if (how === 'touch') await page.getByRole('tab').nth(3).tap();
  await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
  if (how === 'touch') await page.getByRole('tab').nth(0).tap();
}

describe('whole games', { skip }, () => {
  let b;
  before(async () => {
    b = await browser();
  });
  after(() => b?.close());

  const story = (game, how, run) =>
    test(`${game} by ${how}`, async () => {
      const { page, context, errors } = await b.page(inputs[how]);
      await people(page, how, b.url, game);
      await run(page, how);
      await page.waitForSelector('.ending');
      assert.deepEqual(errors, []);
      await context.close();
    });

  for (const how of Object.keys(inputs)) {
    // Black makes five in the middle row, white stands at the edge.
    for (const game of ['renju', 'gomoku'])
      story(game, how, async (page) => {
        const line = [112, 0, 113, 2, 114, 4, 115, 6, 116];
        for (const [i, at] of line.entries()) {
          await pick(page, how, at, 15);
          await played(page, i + 1);
        }
        assert.match(await page.locator('.ending').innerText(), /Black wins/);
      });
    story('tictactoe', how, async (page) => {
      for (const [i, at] of [4, 0, 2, 1, 6].entries()) {
        await pick(page, how, at, 3);
        await played(page, i + 1);
      }
      assert.match(await page.locator('.ending').innerText(), /X wins/);
    });
    story('contrast', how, async (page) => {
      const line = [[22, 17], [2, 7], [17, 12], [7, 8], [12, 7], [0, 5], [7, 2]];
      for (const [i, [from, to]] of line.entries()) {
        await pick(page, how, from, 5);
        await pick(page, how, to, 5);
        if (i < line.length - 1) {
          if (how === 'keyboard') await page.keyboard.press('n');
          else await page.locator('.steps .ghost').first()[how === 'touch' ? 'tap' : 'click']();
        }
        await played(page, i + 1);
      }
      assert.match(await page.locator('.ending').innerText(), /Player 1 wins/);
    });
  }
  // By mouse and by touch Othello is played against a level in play.test.mjs.
  story('othello', 'keyboard', async (page, how) => {
    for (let n = 0; n < 70; n++) {
      const next = await page.waitForFunction(() => document.querySelector('.ending') ?? document.querySelector('.cell.can'));
      const at = await next.evaluate((e) => Number(e.dataset.seen ?? -1));
      if (at < 0) break;
      const before = (await moves(page)).length; // a pass is a move too
      await pick(page, how, at, 8);
      await played(page, before + 1);
    }
    assert.ok((await moves(page)).length > 40);
  });
});
