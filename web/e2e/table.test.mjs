// What a table offers besides moves: clocks, resignation, any agent, names of openings, files in JSON, positions, the graph.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { browser, cell, moves, open, says, skip, yourTurn } from './browser.mjs';

describe('table', { skip }, () => {
  let b;
  before(async () => {
    b = await browser();
  });
  after(() => b?.close());
  const clean = (errors) => assert.deepEqual(errors, []);

  test('clocks run for the side to move; the flag falls and the game is lost on time', async () => {
    const { page, context, errors } = await b.page();
    await page.clock.install();
    await open(page, b.url, '#/othello?m=f5_d6');
    await page.getByRole('combobox', { name: 'Clock' }).selectOption('60+0');
    await page.waitForFunction(() => [...document.querySelectorAll('[role=timer]')].map((e) => e.innerText).join() === '1:00,1:00');
    await page.clock.fastForward(5000);
    await page.waitForFunction(() => document.querySelector('.clock.runs')?.textContent === '0:55');
    await cell(page, 18).click(); // c3
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 3);
    await page.clock.fastForward(61000);
    await page.waitForSelector('.ending');
    assert.match(await page.locator('.ending').innerText(), /Black wins.*on time/s);
    await page.reload(); // the result stays
    await page.clock.fastForward(1000);
    await page.waitForSelector('.ending');
    clean(errors);
    await context.close();
  });

  test('resigning ends the game, and taking back goes on', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello');
    await cell(page, 37).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    await page.locator('[data-act=resign]').click();
    await page.waitForSelector('.ending');
    assert.match(await page.locator('.ending').innerText(), /You lose.*by resignation/s);
    await page.locator('[data-act=undo]').click();
    await page.waitForFunction(() => !document.querySelector('.ending') && document.querySelector('.cell.can'));
    clean(errors);
    await context.close();
  });

  test('any agent plays; its text is completed from the catalogue', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/tictactoe');
    await page.locator('[data-act=agent]').click();
    const field = page.getByRole('combobox', { name: 'Opponent agent' });
    await field.fill('mcts:');
    await page.waitForSelector('datalist option[value^="mcts:sims="]', { state: 'attached' });
    await field.fill('mcts:sims=30');
    await field.press('Enter');
    await page.waitForFunction(() => document.querySelector('.who')?.textContent.includes('mcts:sims=30'));
    await cell(page, 4).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    await page.locator('[data-act=agent]').click();
    await page.waitForFunction(() => document.querySelector('.who')?.textContent.includes('Level 3'));
    clean(errors);
    await context.close();
  });

  for (const [game, moves, en, ja] of [['renju', 'h8_g8_g7', /Kagetsu/, /花月/], ['othello', 'f5_d6_c3_d3_c4', /Tiger/, /虎定石/]])
    test(`${game}'s openings have their names in both languages`, async () => {
      const { page, context, errors } = await b.page();
      await open(page, b.url, `#/${game}?m=${moves}`);
      await says(page, '.openingname', en);
      await page.locator('#lang').click();
      await says(page, '.openingname', ja);
      clean(errors);
      await context.close();
    });

  test('a game goes out as JSON and comes back with its variations', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/othello?m=f5_d6_c3_d3');
    await page.locator('.moves .mv').nth(0).click();
    await cell(page, 45).click(); // f6 instead of d6
    await page.waitForSelector('.variation');
    await page.locator('[data-act=share]').click();
    await page.getByRole('combobox', { name: 'Format' }).selectOption('json');
    await page.waitForFunction(() => document.querySelector('dialog textarea').value.includes('"nodes"'));
    const text = await page.locator('dialog textarea').first().inputValue();
    await page.keyboard.press('Escape');
    await page.locator('[data-act=new]').click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 0);
    await page.locator('[data-act=share]').click();
    await page.locator('dialog textarea').nth(1).fill(text);
    await page.getByRole('button', { name: 'Load' }).click();
    await page.waitForSelector('.variation');
    assert.deepEqual((await moves(page)).sort(), ['c3', 'd3', 'd6', 'f5', 'f6']);
    clean(errors);
    await context.close();
  });

  test('a Contrast position is set up by hand', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/contrast');
    await page.locator('[data-act=edit]').click();
    await page.getByRole('radio', { name: 'black tile' }).click();
    await page.locator('dialog [role=gridcell]').nth(12).click();
    await page.getByRole('button', { name: 'Use this position' }).click();
    await page.waitForFunction(() => !document.querySelector('dialog') && document.querySelectorAll('.stage .grid .tile-b').length === 1);
    await page.reload();
    await page.waitForSelector('.stage .grid .tile-b');
    clean(errors);
    await context.close();
  });

  test('a finished game keeps its last point on the graph when one steps back', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/gomoku?m=h8_a1_i8_c1_j8_e1_k8_g1_l8');
    await page.waitForSelector('.ending');
    const end = await page.locator('.chart circle').getAttribute('cy');
    await page.keyboard.press(',');
    await page.waitForFunction(() => !document.querySelector('.ending'));
    await page.waitForSelector('.chart circle.end');
    await page.waitForSelector(`.chart circle.end[cy="${end}"]`);
    clean(errors);
    await context.close();
  });

  test('Othello endgames show exact results, marked as such', async () => {
    const { page, context, errors } = await b.page();
    const ffo = '--XXXXX--OOOXX-O-OOXXOX-OXOXXOXXOOOOOXXXOOOOXX--OOOOX----OXXOO--';
    await open(page, b.url, `#/othello?m=&p=${encodeURIComponent(`${ffo} X`)}`).catch(() => {});
    await page.getByRole('switch', { name: 'Engine on' }).click();
    await page.waitForSelector('.score.exact', { timeout: 60000 });
    clean(errors);
    await context.close();
  });

  test('level 5 answers, and the seat says so', async () => {
    const { page, context, errors } = await b.page();
    await open(page, b.url, '#/renju');
    await page.locator('input[type=range]').fill('5');
    await cell(page, 112).click();
    await yourTurn(page);
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    clean(errors);
    await context.close();
  });
});
