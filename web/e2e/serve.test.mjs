// The page of `keiko serve`: the server thinks, trains and rates; killed in the middle of a game it comes back and the page goes on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import { browser, cell, moves, open, phone, says, skip, yourTurn } from './browser.mjs';
import { serveProgram, unserved } from './program.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('with keiko serve', { skip: skip || unserved }, () => {
  let server, b;
  before(async () => {
    server = await serveProgram();
    b = await browser({ server: { url: server.url, close: () => server.close() } });
  });
  after(() => b?.close());
  const clean = (errors) => assert.deepEqual(errors, []);
  // The page asks once whether there is a server; before the answer it plays by itself.
  const openServed = async (page, hash) => {
    const answer = page.waitForResponse((r) => r.url().endsWith('/api/1/machine'));
    await open(page, b.url, hash);
    await (await answer).finished();
    await page.waitForTimeout(100);
  };

  test('the server chooses the moves of levels and of any agent', async () => {
    const { page, context, errors } = await b.page();
    const asked = [];
    page.on('request', (r) => r.url().endsWith('/choose') && asked.push(r.postDataJSON().agent));
    await openServed(page, '#/othello');
    await cell(page, 37).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    assert.deepEqual(asked, ['3']);
    await page.getByRole('switch', { name: 'Engine on' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.lines .pv').length === 4);
    clean(errors);
    await context.close();
  });

  test('the engine goes on where it ended, on the server', async () => {
    const { page, context, errors } = await b.page();
    const asked = [];
    page.on('request', (r) => r.url().endsWith('/analyse') && asked.push(r.postDataJSON().helper));
    await openServed(page, '#/tictactoe');
    await page.getByRole('combobox', { name: 'Players' }).selectOption('people');
    await page.getByRole('switch', { name: 'Engine on' }).click();
    await page.locator('[data-act=deeper]:not([aria-disabled=true])').click();
    await says(page, '.lines', /exact/);
    assert.deepEqual(asked, ['mcts:sims=4000', 'mcts:sims=40000']);
    clean(errors);
    await context.close();
  });

  test('tic-tac-toe is trained and watched until the network plays perfectly; then it is played', async () => {
    const { page, context, errors } = await b.page();
    await page.goto(`${b.url}#/train`);
    await page.locator('[data-act=new-run]').click();
    await page.getByLabel('Minutes').fill('10');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-chart=perfect] [data-right]');
    const right = () => page.locator('[data-chart=perfect] [data-right]').getAttribute('data-right').then(Number);
    const begun = await page.evaluate(async () => {
      const name = location.hash.split('/').pop();
      return (await (await fetch(`api/1/runs/${name}/log?kind=perfect`)).json()).items[0].right;
    });
    assert.ok(begun > 0.4 && begun < 0.8, `it begins with ${begun}`);
    await page.waitForFunction(() => Number(document.querySelector('[data-chart=perfect] [data-right]').dataset.right) > 0.99, null, { timeout: 240000 });
    assert.ok((await right()) > 0.99);
    await page.waitForSelector('[data-chart=elo] canvas');
    await page.waitForSelector('.boards .mark');
    // Play it while it is still learning.
    await page.locator('[data-agent]').first().click();
    await page.waitForSelector('.stage');
    await says(page, '.who', /tictactoe · step/);
    await cell(page, 4).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    await page.goto(`${b.url}#/train`);
    await page.locator('[data-act=stop]').click();
    await page.waitForSelector('[data-act=resume]');
    // It goes on, and the page with it, however long its process needs to begin.
    await page.locator('[data-act=resume]').click();
    await page.getByLabel('Minutes').fill('20');
    await page.keyboard.press('Enter');
    await page.locator('[data-act=stop]:enabled').click();
    await page.waitForSelector('[data-act=resume]');
    // The last step has several files, and one row.
    const steps = (await page.locator('.nets tr td:first-child').allInnerTexts()).map((x) => x.split(' · ')[0]);
    assert.ok(steps.length > 1 && new Set(steps).size === steps.length, steps.join(', '));
    clean(errors);
    await context.close();
  });

  test('a bench is started, its table read, a game replayed', async () => {
    const { page, context, errors } = await b.page();
    await page.goto(`${b.url}#/rate`);
    await page.locator('[data-act=new-bench]').click();
    await page.getByLabel('Game', { exact: true }).selectOption('tictactoe');
    await page.getByLabel('Games per pairing').fill('20');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForFunction(() => /60 \/ 60 games/.test(document.querySelector('.head')?.textContent ?? ''));
    const rows = await page.locator('[data-table=ratings] tbody th').allInnerTexts();
    assert.deepEqual([...rows].sort(), ['level-1', 'level-3', 'level-5']);
    assert.equal(rows.at(-1), 'level-1');
    assert.match(await page.locator('[data-table=ratings]').innerText(), /\d{3,4} ± \d+/);
    assert.equal(await page.locator('.heat td.on').count(), 6);
    await page.locator('.gamelist button').first().click();
    await page.waitForSelector('.replay .mark');
    await page.getByRole('button', { name: 'Open in Analyse' }).click();
    await page.waitForSelector('.stage');
    assert.ok((await moves(page)).length >= 5);
    clean(errors);
    await context.close();
  });

  test('a bench is stopped and resumed; a second click on Start starts no second one', async () => {
    const { page, context, errors } = await b.page();
    const started = [];
    page.on('request', (r) => r.method() === 'POST' && r.url().endsWith('/benches') && started.push(r.url()));
    await page.goto(`${b.url}#/rate`);
    await page.locator('[data-act=new-bench]').click();
    await page.getByLabel('Games per pairing').fill('100000');
    await page.getByRole('button', { name: 'Start' }).dblclick();
    await page.locator('[data-act=stop]').click();
    await page.locator('[data-act=resume]').click();
    await page.locator('[data-act=stop]:enabled').click();
    await page.waitForSelector('[data-act=resume]');
    assert.equal(started.length, 1);
    clean(errors);
    await context.close();
  });

  test('a sequential test shows its LLR', async () => {
    const { page, context, errors } = await b.page();
    await page.goto(`${b.url}#/rate`);
    await page.locator('[data-act=new-bench]').click();
    await page.getByLabel('Game', { exact: true }).selectOption('tictactoe');
    await page.getByRole('switch').click();
    await page.getByLabel('Player 1').fill('5');
    await page.getByLabel('Player 2').fill('nobody');
    await page.keyboard.press('Enter');
    await says(page, 'dialog [role=alert]', /nobody/);
    errors.length = 0; // the browser's own word about the refusal
    await page.getByLabel('Player 2').fill('1');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-chart=sprt] canvas');
    await page.waitForFunction(() => document.querySelector('[data-chart=sprt] .chip')?.textContent === 'stronger');
    clean(errors);
    await context.close();
  });

  test('killed with kill -9 in the middle of a game and started again: the page goes on', async () => {
    const { page, context } = await b.page();
    await openServed(page, '#/tictactoe');
    const agent = await page.evaluate(async () => {
      const { items } = await (await fetch('api/1/runs')).json();
      return (await (await fetch(`api/1/runs/${items[0].name}`)).json()).networks[0].agent;
    });
    // An agent that only the server has.
    await page.locator('[data-act=agent]').click();
    await page.getByRole('combobox', { name: 'Opponent agent' }).fill(agent);
    await page.keyboard.press('Enter');
    await cell(page, 4).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    const told = says(page, '.toast', /goes on when it is back/); // it may come and go before the move
    await server.kill();
    await yourTurn(page);
    await page.locator('.cell.can').first().click();
    await told;
    assert.equal((await moves(page)).length, 3); // it waits for its opponent
    await server.restart();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length >= 4);
    // A level goes on without any server.
    await page.locator('[data-act=agent]').click();
    await page.locator('[data-act=new]').click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 0);
    await page.evaluate(() => (location.hash = '#/train'));
    await page.waitForSelector('[data-act=new-run]');
    await page.evaluate(() => (location.hash = '#/tictactoe'));
    await page.waitForSelector('.stage');
    await server.kill();
    await cell(page, 4).click();
    await page.waitForFunction(() => document.querySelectorAll('.moves .mv').length === 2);
    assert.doesNotMatch(await page.locator('.toast').innerText(), /goes on when it is back/); // there is nothing to wait for
    await page.evaluate(() => (location.hash = '#/train'));
    await page.locator('[data-act=new-run]').click();
    await says(page, 'dialog .error', /^The server does not answer/);
    await page.evaluate(() => (location.hash = '#/rate')); // never seen before: its part of the page is not here
    await says(page, 'main .error', /could not be loaded/);
    await server.restart();
    await context.close();
  });

  test('a server that does not answer is named where it moves and hides nothing, until it is back', async () => {
    for (const options of [{}, phone]) {
      const { page, context } = await b.page(options);
      await page.goto(`${b.url}#/train`);
      await page.waitForSelector('[data-chart=loss] canvas');
      const top = () => page.locator('.wide .card').first().evaluate((e) => e.getBoundingClientRect().top);
      const before = await top();
      await server.kill();
      await says(page, '.lost', /does not answer/);
      assert.equal(await top(), before);
      assert.ok(await page.locator('.lost').evaluate((e) => {
        const r = e.getBoundingClientRect();
        return r.left >= 0 && r.right <= innerWidth && [...document.querySelectorAll('.top, .nav')].every((x) => r.bottom <= x.getBoundingClientRect().top || r.top >= x.getBoundingClientRect().bottom);
      }), 'in sight');
      await server.restart();
      await page.waitForFunction(() => !document.querySelector('.lost'));
      await context.close();
    }
  });

  test('Train and Rate: accessible, nothing cut off, both languages, light and dark', async () => {
    for (const view of ['train', 'rate'])
      for (const [options, query] of [[{}, '?theme=light&lang=en'], [{}, '?theme=dark&lang=ja'], [phone, '?theme=light&lang=ja']]) {
        const { page, context, errors } = await b.page({ ...options, bypassCSP: true });
        await page.goto(`${b.url}${query}#/${view}`);
        await page.waitForSelector('.wide .card');
        await page.waitForTimeout(300);
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
        assert.deepEqual(found.violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.target).join(' | ')}`), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view}: nothing is cut off`);
        clean(errors);
        await context.close();
      }
  });
});
