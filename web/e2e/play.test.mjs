// A visitor plays: whole games by mouse, keyboard and touch; undo, hint, language, reload, links, files, review.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { browser, cell, moves, movesAre, open, over, phone, played, says, shows, skip, yourTurn } from './browser.mjs';

describe('play', { skip }, () => {
  let b;
  before(async () => {
    b = await browser();
  });
  after(() => b?.close());

  const clean = (errors) => assert.deepEqual(errors, []);
  const level = (page, n) => page.locator('input[type=range]').fill(String(n));

  test('the first board is there at once: Othello, level 3, four legal squares', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url);
    await shows(page, '.cell.can', 4);
    await says(page, '.who', /Level 3/);
    clean(errors);
    await context.close();
  });

  test('a whole game of Othello by mouse', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello');
    await level(page, 1);
    for (let n = 0; n < 200 && !(await over(page)); n++) {
      await yourTurn(page);
      if (await over(page)) break;
      await page.locator('.cell.can').first().click({ timeout: 3000 }).catch(() => undefined);
    }
    await page.waitForSelector('.ending');
    const discs = (await page.locator('.seat .big').allInnerTexts()).map(Number);
    assert.ok(discs[0] + discs[1] > 4 && discs[0] + discs[1] <= 64);
    assert.ok((await moves(page)).length > 20);
    clean(errors);
    await context.close();
  });

  test('a whole game of tic-tac-toe by keyboard', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/tictactoe');
    await level(page, 1);
    for (let n = 0; n < 5 && !(await over(page)); n++) {
      await yourTurn(page);
      if (await over(page)) break;
      const before = (await moves(page)).length;
      // To the top left corner with arrows, then along the rows to the first playable square.
      await cell(page, 4).focus();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('ArrowLeft');
      search: for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 3; c++) {
          if (await page.evaluate(() => document.activeElement.classList.contains('can'))) break search;
          if (c < 2) await page.keyboard.press('ArrowRight');
        }
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Home');
      }
      await page.keyboard.press('Enter');
      await played(page, before + 2); // and the answer
    }
    await page.waitForSelector('.ending');
    assert.ok((await moves(page)).length >= 5);
    clean(errors);
    await context.close();
  });

  test('arrow keys, Home and End walk through the game, also after a click on the board; a slider keeps its own', async () => {
    const { page, context, errors } = await b.page();
    const at = (text) => page.waitForFunction((x) => (document.querySelector('.mv.at')?.innerText ?? '') === x, text);
    await open(page, b.url, '#/othello?m=f5_d6_c3');
    await cell(page, 19).click(); // d3
    await at('d3');
    for (const [key, move] of [['ArrowLeft', 'c3'], ['ArrowLeft', 'd6'], ['ArrowRight', 'c3'], ['Home', ''], ['ArrowRight', 'f5'], ['End', 'd3']]) {
      await page.keyboard.press(key);
      await at(move);
    }
    await page.getByRole('combobox', { name: 'Players' }).selectOption('first');
    await page.getByRole('slider', { name: 'Level' }).press('ArrowLeft');
    await says(page, '.lv', /^2$/);
    await at('d3');
    assert.deepEqual(errors, []);
    await context.close();
  });

  test('going back to another game closes a dialog', async () => {
    const { page, context } = await b.page();
    await open(page, b.url, '#/othello');
    await page.getByRole('combobox', { name: 'Game', exact: true }).selectOption('renju');
    await page.waitForFunction(() => document.documentElement.dataset.game === 'renju');
    await page.locator('#settings').click();
    await page.waitForSelector('dialog[open]');
    await page.goBack();
    await page.waitForFunction(() => document.documentElement.dataset.game === 'othello');
    await shows(page, 'dialog', 0);
    await context.close();
  });

  test('Othello by keyboard: arrows and Enter, U, R, H', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello');
    await cell(page, 36).focus();
    await page.keyboard.press('ArrowRight'); // f5
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    await page.keyboard.press('u');
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv.at').length === 0);
    await page.keyboard.press('r');
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv.at').length === 1);
    await yourTurn(page);
    await page.keyboard.press('h');
    await page.waitForSelector('.hint');
    clean(errors);
    await context.close();
  });

  test('a whole game of Othello at 390 px by touch', async () => {
    const { page, context, errors } = await b.page(phone);
    await open(page, b.url, '#/othello');
    await page.getByRole('tab').nth(3).tap();
    await level(page, 1);
    assert.ok((await cell(page, 0).boundingBox()).width >= 40);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    for (let n = 0; n < 200 && !(await over(page)); n++) {
      await yourTurn(page);
      if (await over(page)) break;
      await page.locator('.cell.can').first().tap({ timeout: 3000 }).catch(() => undefined); // the mark may be one that is about to go
    }
    await page.waitForSelector('.ending');
    clean(errors);
    await context.close();
  });

  test('two people play renju; a forbidden point is shown and refused with the reason', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/renju?m=h8_a1_i9_c1_j8_e1_i7_g1');
    await shows(page, '.foul', 1);
    await cell(page, 7 * 15 + 8).click(); // i8
    await says(page, '.toast', /i8 is forbidden for Black: Double three/);
    assert.equal((await moves(page)).length, 8);
    await cell(page, 0).click(); // a15
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 9);
    clean(errors);
    await context.close();
  });

  test('Contrast: piece, target, tile, confirm; Escape takes back', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/contrast');
    await cell(page, 22).click(); // c1
    await cell(page, 17).click(); // c2
    await cell(page, 13).click(); // a tile on d3
    await page.getByRole('button', { name: 'Confirm c1,c2 d3b' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Confirm c1,c2 d3b' }).waitFor({ state: 'detached' });
    await cell(page, 13).click();
    await page.getByRole('radio', { name: 'gray tile' }).click();
    await page.getByRole('button', { name: 'Confirm c1,c2 d3g' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    assert.equal((await moves(page))[0], 'c1,c2 d3g');
    clean(errors);
    await context.close();
  });

  test('Contrast: a whole game by dragging pieces', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/contrast');
    await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
    const drag = async (from, to, n) => {
      const a = await cell(page, from).boundingBox();
      const c = await cell(page, to).boundingBox();
      await page.mouse.move(a.x + 40, a.y + 40);
      await page.mouse.down();
      await page.mouse.move(c.x + 40, c.y + 40, { steps: 4 });
      await page.mouse.up();
      // No tile, where one could follow.
      await page.waitForFunction((k) => document.querySelector('.steps .ghost') || document.querySelectorAll('.moves .mv').length >= k, n);
      if ((await moves(page)).length < n) await page.locator('.steps .ghost').first().click();
      await played(page, n);
    };
    // Player 2 steps out of the way of player 1's c piece.
    for (const [i, [from, to]] of [[22, 17], [2, 7], [17, 12], [7, 8], [12, 7], [0, 5], [7, 2]].entries()) await drag(from, to, i + 1);
    await page.waitForSelector('.ending');
    assert.match(await page.locator('.ending').innerText(), /Player 1 wins/);
    clean(errors);
    await context.close();
  });

  test('Puyo practice: pairs fall where they are steered', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/puyo-solo');
    for (let i = 0; i < 6; i++) {
      for (let k = 0; k < i % 3; k++) await page.keyboard.press('ArrowRight');
      if (i % 2) await page.keyboard.press('x');
      await page.keyboard.press('ArrowDown');
      await page.waitForFunction((n) => document.querySelectorAll('.moves .mv').length === n, i + 1);
    }
    await page.keyboard.press('u');
    await page.waitForFunction(() => document.querySelector('.moves .mv.at')?.closest('li')?.querySelector('i')?.textContent === '5');
    clean(errors);
    await context.close();
  });

  test('Puyo versus by touch: the opponent answers', async () => {
    const { page, context, errors } = await b.page(phone);
    await open(page, b.url, '#/puyo');
    for (let i = 0; i < 3; i++) {
      await page.locator('.padbtn:not([disabled])').first().waitFor();
      await page.getByRole('button', { name: 'Left', exact: true }).tap();
      await page.getByRole('button', { name: 'Drop' }).tap();
      await page.waitForFunction((n) => document.querySelectorAll('.moves .mv').length >= n, 2 * i + 1);
    }
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length >= 6);
    clean(errors);
    await context.close();
  });

  test('reload in the middle of a game loses nothing', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello');
    await cell(page, 37).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    const was = await moves(page);
    await page.reload();
    await page.waitForSelector('.stage');
    await movesAre(page, was);
    assert.equal(await page.locator('.moves .mv.at').innerText(), was[1]);
    // The page alone, without a name, opens the last game.
    await page.goto(b.url);
    await page.waitForSelector('.stage');
    await movesAre(page, was);
    clean(errors);
    await context.close();
  });

  test('a link to Analyse opens the game there', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/analyse/othello?m=f5_d6');
    await movesAre(page, ['f5', 'd6']);
    await page.waitForFunction(() => location.hash === '#/analyse/othello' && document.querySelector('.engine input').checked);
    clean(errors);
    await context.close();
  });

  test('a link carries the whole game to another browser', async () => {
    const one = await b.page();
    await open(one.page, b.url, '#/contrast?m=c1,c2+d3g_c5,c4');
    await one.page.locator('[data-act=share]').click();
    const link = await one.page.locator('dialog input[readonly]').inputValue();
    const two = await b.page();
    await two.page.goto(link);
    await two.page.waitForSelector('.stage');
    await movesAre(two.page, ['c1,c2 d3g', 'c5,c4']);
    clean([...one.errors, ...two.errors]);
    await one.context.close();
    await two.context.close();
  });

  test('a broken link says so, and so does JSON that is no game', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '?lang=ja#/othello?m=%E0%A4%A');
    await says(page, '.toast', /このリンクにはゲームが入っていません/);
    for (const text of ['{"game":', '{"game":"chess","nodes":[{}],"key":{}}']) {
      await page.locator('[data-act=share]').click();
      await page.locator('dialog textarea').nth(1).fill(text);
      await page.locator('dialog .go').last().click();
      await says(page, 'dialog [role=alert]', /^この JSON は keiko の対局ではありません。$/);
      await page.keyboard.press('Escape');
    }
    clean(errors);
    await context.close();
  });

  test('without the board in sight: moves and the end are said, dialogs give the focus back, every stop has a name', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/tictactoe');
    for (let i = 0; i < 14; i++) {
      await page.keyboard.press('Tab');
      assert.ok(await page.evaluate(() => { const e = document.activeElement; return e === document.body || e.getAttribute('aria-label') || e.textContent; }), `stop ${i}`);
    }
    for (const act of ['share', 'stored']) {
      await page.locator(`[data-act=${act}]`).focus();
      await page.keyboard.press('Enter');
      await page.waitForSelector('dialog[open]');
      await page.keyboard.press('Escape');
      await page.waitForFunction((a) => document.activeElement?.dataset.act === a, act);
    }
    await cell(page, 4).click();
    await says(page, '.board [aria-live]', /^Level 3: [abc][123]$/);
    await page.locator('[data-act=resign]').click();
    await says(page, '.board [aria-live]', /^You lose by resignation$/);
    clean(errors);
    await context.close();
  });

  test('import and export: GGF in, SGF out; nonsense is refused', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello');
    await page.locator('[data-act=share]').click();
    await page.locator('dialog textarea').nth(1).fill('(;GM[Othello]PC[x]PB[a]PW[b]RE[?]TI[5]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5]W[d6]B[c3];)');
    await page.getByRole('button', { name: 'Load' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 3);
    assert.deepEqual(await moves(page), ['f5', 'd6', 'c3']);
    await page.locator('[data-act=share]').click();
    await page.waitForFunction(() => document.querySelector('dialog textarea').value.includes('B[fe]'));
    await page.locator('dialog textarea').nth(1).fill('zz9 plural');
    await page.getByRole('button', { name: 'Load' }).click();
    await page.waitForSelector('dialog [role=alert]');
    clean(errors);
    await context.close();
  });

  test('the engine shows scores on every legal move, lines and a curve; hovering a line shows its end', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello?m=f5_d6_c3_d3');
    await page.getByRole('switch', { name: 'Engine on' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.lines .pv').length === 4);
    await page.waitForFunction(() => {
      const count = (s) => document.querySelectorAll(s).length;
      return count('.score') > 0 && count('.score') === count('.cell.can') && count('.score.best') === 1;
    });
    await page.locator('.lines .pv').first().hover();
    await page.waitForFunction(() => document.querySelectorAll('.score').length === 0);
    clean(errors);
    await context.close();
  });

  test('a link keeps all 64 bits of a game\'s key; a larger one is refused', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/puyo-solo?m=3u&s=18446744073709551615');
    await page.locator('[data-act=share]').click();
    await page.waitForFunction(() => document.querySelector('dialog input, dialog textarea')?.value.endsWith('&s=18446744073709551615'));
    await page.goto('about:blank');
    await open(page, b.url, '#/puyo-solo?m=3u&s=18446744073709551616');
    await says(page, '.toast', /whole number/);
    clean(errors);
    await context.close();
  });

  const deeper = '[data-act=deeper]';
  const done = (page) => page.waitForSelector(`${deeper}:not([aria-disabled=true])`);

  test('the engine goes on where it ended, by keyboard, until it is exact; nothing moves', async () => {
    const { page, context, errors } = await b.page();
    const places = () => page.evaluate(() => JSON.stringify([...document.querySelectorAll('.panel section, .linesbox h2, .linesbox li')].map((e) => e.getBoundingClientRect())));
    await open(page, b.url, '#/tictactoe');
    await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
    await page.getByRole('switch', { name: 'Engine on' }).click();
    await done(page);
    const before = await places();
    assert.doesNotMatch(await page.locator('.lines').innerText(), /exact/);
    await page.getByRole('button', { name: 'Think ten times as long' }).focus();
    await page.keyboard.press('Enter');
    await says(page, '.lines', /exact/);
    await page.waitForSelector(deeper, { state: 'hidden' });
    assert.equal(await places(), before);
    await cell(page, 4).click();
    await says(page, '.lines', /exact.*exact/); // proven at once from there
    await page.waitForSelector(deeper, { state: 'hidden' });
    clean(errors);
    await context.close();
  });

  test('the engine goes deeper at 390 px; what it found stays meanwhile, and a move stops it', async () => {
    const { page, context, errors } = await b.page(phone);
    const depth = () => page.locator('.lines .mute').first().innerText().then((s) => Number(s.slice(1)));
    await open(page, b.url, '#/othello?m=f5_d6_c3_d3');
    await page.getByRole('tab', { name: 'Lines' }).tap();
    await page.getByRole('switch', { name: 'Engine on' }).tap();
    await done(page);
    const found = await depth();
    const box = await page.locator(deeper).boundingBox();
    assert.ok(box.width >= 40 && box.height >= 40);
    await page.locator(deeper).tap();
    await page.waitForSelector(`${deeper}[aria-disabled=true]`);
    assert.equal(await depth(), found);
    await page.waitForFunction((d) => Number(document.querySelector('.lines .mute').innerText.slice(1)) > d, found);
    const begun = performance.now();
    await page.locator('.cell.can').first().tap();
    await played(page, 5);
    await done(page);
    assert.ok(performance.now() - begun < 15000, 'the next position is looked at for 3 s, not 30');
    clean(errors);
    await context.close();
  });

  test('review finds the blunder, and one can retry from there', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/gomoku?m=h8_h9_i8_i9_j8_a1_k8_a2_l8');
    await page.locator('.ending .ghost').click();
    await page.waitForSelector('.bad li');
    await says(page, '.bad', /better:/);
    await page.locator('.bad .link').first().click();
    await page.waitForFunction(() => document.querySelector('.cell.can'));
    await page.locator('.cell.can').first().click();
    await page.waitForSelector('.variation');
    clean(errors);
    await context.close();
  });

  test('language and theme: everything changes, and stays after a reload', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello');
    await page.locator('#lang').click();
    await page.waitForSelector('html[lang=ja]');
    await says(page, '.panel', /待った/);
    assert.doesNotMatch(await page.locator('.stage').innerText(), /Undo|Engine|Level/);
    await page.locator('#theme').click();
    await page.reload();
    await page.waitForSelector('.stage');
    await page.waitForSelector('html[lang=ja][data-theme=dark]');
    clean(errors);
    await context.close();
  });

  test('agent against agent plays by itself and can be paused', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/tictactoe');
    await page.getByRole('combobox', { name: 'Players' }).selectOption('watch');
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length >= 2);
    await page.locator('[data-act=pause]').click();
    const n = (await moves(page)).length;
    await page.waitForTimeout(900);
    assert.ok((await moves(page)).length <= n + 1);
    await page.locator('[data-act=play]').click();
    await page.waitForSelector('.ending');
    clean(errors);
    await context.close();
  });

  test('rules open for every game in both languages', async () => {
    const { page, context, errors } = await b.page();
    for (const game of ['othello', 'renju', 'gomoku', 'freestyle', 'contrast', 'puyo', 'puyo-solo', 'tictactoe'])
      for (const lang of ['en', 'ja']) {
        await page.goto(`${b.url}?lang=${lang}#/${game}`);
        await page.waitForSelector('.stage');
        await page.locator('.who .tool').first().click();
        await page.waitForFunction(() => document.querySelector('.prose')?.textContent.length > 200);
        await page.keyboard.press('Escape');
      }
    clean(errors);
    await context.close();
  });

  test('variations: a move from an earlier position makes one; it can become the main line or go', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello?m=f5_d6_c3_d3');
    await page.locator('.moves .mv').nth(0).click();
    await cell(page, 45).click(); // f6 instead of d6
    await page.waitForSelector('.variation');
    assert.deepEqual(await page.locator('.variation .mv').allInnerTexts(), ['f6']);
    await page.getByRole('button', { name: 'Make it the main line' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.variation .mv').length === 3);
    await page.getByRole('button', { name: 'Delete this line' }).click();
    await page.waitForFunction(() => !document.querySelector('.variation'));
    await movesAre(page, ['f5', 'f6']);
    await page.reload();
    await page.waitForSelector('.stage');
    await movesAre(page, ['f5', 'f6']);
    clean(errors);
    await context.close();
  });

  test('a position can be set up by hand; one that cannot be is refused', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/renju');
    await page.locator('[data-act=edit]').click();
    const edit = page.locator('dialog [role=gridcell]');
    await edit.nth(112).click();
    await page.getByRole('combobox', { name: 'To move' }).selectOption('1');
    await page.getByRole('button', { name: 'Use this position' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.stone').length === 1);
    await cell(page, 0).click();
    await page.waitForFunction(() => document.querySelectorAll('.stone').length === 2);
    await page.reload();
    await shows(page, '.stone', 2);
    await page.locator('[data-act=edit]').click();
    for (const n of [30, 31, 32, 33, 34]) await edit.nth(n).click();
    await page.getByRole('button', { name: 'Use this position' }).click();
    await page.waitForSelector('dialog [role=alert]');
    clean(errors);
    await context.close();
  });

  test('Analyse keeps the position, and Play gives the opponent back', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello');
    await cell(page, 37).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    await page.getByRole('link', { name: 'Analyse' }).click();
    await page.waitForSelector('.score.best');
    assert.equal((await moves(page)).length, 2);
    await page.getByRole('link', { name: 'Play' }).click();
    await page.waitForFunction(() => document.querySelector('.who')?.textContent.includes('Level 3'));
    clean(errors);
    await context.close();
  });
});

describe('with shared memory', { skip }, () => {
  test('a search is stopped in place when the position changes', async () => {
    const b = await browser({ isolated: true });
    const { page, errors } = await b.page();
    await open(page, b.url, '#/othello');
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
    await page.getByRole('switch', { name: 'Engine on' }).click();
    for (let n = 0; n < 4; n++) {
      await yourTurn(page);
      await page.waitForSelector('.score.best');
      await page.locator('.cell.can').first().click();
      await page.waitForFunction((k) => document.querySelectorAll('.moves .mv').length >= k, 2 * n + 2);
    }
    assert.deepEqual(errors, []);
    await b.close();
  });
});
