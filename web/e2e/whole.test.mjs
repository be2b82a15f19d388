// Whole games by mouse, by keyboard and by touch at 390 px, two people at one board: from the static site, and from `keiko
// serve`, which has the finished game then. There most of them are left to make soak.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { browser, cell, moves, open, phone, played, skip } from './browser.mjs';
import { serveProgram, unserved } from './program.mjs';

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
  const asked = page.waitForResponse(/api\/1\/machine/); // is there a server?
  await open(page, url, `#/${game}`);
  await asked;
  if (game === 'puyo-solo') return;
  if (how === 'touch') await page.getByRole('tab').nth(3).tap();
  await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
  if (how === 'touch') await page.getByRole('tab').nth(0).tap();
}

const five = (winner) => async (page, how) => {
  // Black makes five in the middle row, white stands at the edge.
  for (const [i, at] of [112, 0, 113, 2, 114, 4, 115, 6, 116].entries()) {
    await pick(page, how, at, 15);
    await played(page, i + 1);
  }
  await ends(page, winner);
};
const ends = async (page, how) => {
  await page.waitForSelector('.ending');
  assert.match(await page.locator('.ending').innerText(), how);
};

const games = {
  renju: five(/Black wins/),
  gomoku: five(/Black wins/),
  async tictactoe(page, how) {
    for (const [i, at] of [4, 0, 2, 1, 6].entries()) {
      await pick(page, how, at, 3);
      await played(page, i + 1);
    }
    await ends(page, /X wins/);
  },
  async contrast(page, how) {
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
    await ends(page, /Player 1 wins/);
  },
  async othello(page, how) {
    for (let n = 0; n < 70; n++) {
      const next = await page.waitForFunction(() => document.querySelector('.ending') ?? document.querySelector('.cell.can'));
      const at = await next.evaluate((e) => Number(e.dataset.seen ?? -1));
      if (at < 0) break;
      const before = (await moves(page)).length; // a pass is a move too
      await pick(page, how, at, 8);
      await played(page, before + 1);
    }
    assert.ok((await moves(page)).length > 40);
    await ends(page, /wins|Draw/);
  },
  // Everything into the middle until the field is full.
  async 'puyo-solo'(page, how) {
    for (let n = 0; n < 40; n++) {
      await page.waitForSelector('canvas.field.active, .ending'); // the next pair is there
      if (await page.locator('.ending').count()) break;
      if (how === 'keyboard') await page.keyboard.press('ArrowDown');
      else if (how === 'touch') await page.getByRole('button', { name: 'Drop' }).tap();
      else {
        const field = page.locator('canvas.field.active');
        const { width, height } = await field.boundingBox();
        await field.click({ position: { x: (width * 2.5) / 6, y: height / 2 } });
      }
      await played(page, n + 1);
    }
    await ends(page, /points/);
  },
};

// Which of them are played when there is little time.
const short = {
  static: (game, how) => (game !== 'othello' || how === 'keyboard') && (game !== 'puyo-solo' || how === 'touch'), // the others are in play.test.mjs
  served: (game, how) => ['renju touch', 'gomoku keyboard', 'contrast touch', 'tictactoe touch', 'puyo-solo keyboard'].includes(`${game} ${how}`),
};

for (const [source, why, from] of [['static', skip, () => browser()], ['served', skip || unserved, async () => browser({ server: await serveProgram() })]])
  describe(`whole games, ${source}`, { skip: why }, () => {
    let b;
    before(async () => {
      b = await from();
    });
    after(() => b?.close());

    for (const [game, run] of Object.entries(games))
      for (const how of Object.keys(inputs))
        test(`${game} by ${how}`, { skip: !process.env.KEIKO_SOAK && !short[source](game, how) && 'only under make soak' }, async () => {
          const { page, context, errors } = await b.page(inputs[how]);
          await people(page, how, b.url, game);
          await run(page, how);
          if (source === 'served')
            await page.waitForFunction(
              async (g) => (await (await fetch('api/1/sessions?limit=5')).json()).items.some((x) => x.game === g && x.result.end === 'rules'),
              game,
              { polling: 200 },
            );
          assert.deepEqual(errors, []);
          await context.close();
        });

    // Against a level, which the server plays.
    test('tic-tac-toe against a level by keyboard', { skip: source !== 'served' && 'in play.test.mjs' }, async () => {
      const { page, context, errors } = await b.page();
      const chosen = [];
      page.on('response', (r) => r.url().endsWith('/choose') && chosen.push(r.status()));
      await open(page, b.url, '#/tictactoe');
      await page.waitForFunction(async () => (await fetch('api/1/machine')).ok);
      for (let n = 0; n < 9; n++) {
        const next = await page.waitForFunction(() => document.querySelector('.ending') ?? document.querySelector('.cell.can'));
        const at = await next.evaluate((e) => Number(e.dataset.seen ?? -1));
        if (at < 0) break;
        const before = (await moves(page)).length;
        await pick(page, 'keyboard', at, 3);
        await page.waitForFunction((k) => document.querySelectorAll('.moves .mv').length >= k || document.querySelector('.ending'), before + 2);
      }
      await page.waitForSelector('.ending');
      assert.ok(chosen.length > 0 && chosen.every((status) => status === 200));
      assert.deepEqual(errors, []);
      await context.close();
    });
  });
