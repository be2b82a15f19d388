#!/usr/bin/env node
// Pictures of every view, to look at: build/screens/NAME-SCREEN-THEME-LANGUAGE.png, and one sheet per screen, theme and language
// (sheet-….png) where ImageMagick is installed.
//   node tools/screens.mjs [PART-OF-A-NAME …]      with make and make site done before
//   node tools/screens.mjs readme                  the README's pictures, docs/page/*.png
// desktop is 1280 x 800, phone 390 x 844. Views named site-… come from the static folder, serve-… from keiko serve,
// report-… from the files of keiko report.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { browser, phone, skip } from '../web/e2e/browser.mjs';
import { program, serveProgram, unserved } from '../web/e2e/program.mjs';

const top = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(top, 'build/screens');
if (skip || unserved) {
  console.error(`screens.mjs: ${skip || unserved}`);
  process.exit(77);
}
const wanted = process.argv.slice(2);

const click = (selector) => async (page) => {
  await page.locator(selector).first().click();
  await page.waitForSelector('dialog[open]');
};
const ready = (selector, how) => (page) => page.waitForSelector(selector, how);
const both = (...steps) => async (page) => {
  for (const s of steps) await s(page);
};
const lines = ready('.lines .pv .chip:not(:empty)', { state: 'attached' });
const wide = 'f5_d6_c3_d3_c4_f4_c5_b3_c2';
const engine = async (page) => {
  await page.locator('.engine input').first().click();
  await lines(page);
};
const jump = (name) => `#/puyo/${name}`;

// Name, address, what to do before the picture.
const play = [
  ['othello', `#/othello?m=${wide}`],
  ['othello-start', '#/othello'],
  ['analyse', `#/othello?m=${wide}`, engine],
  ['renju', '#/renju?m=h8_i9_j9_g7_i8_j8_h9_g9_i10'],
  ['renju-analyse', '#/renju?m=h8_i9_j9_g7_i8', engine],
  ['gomoku', '#/gomoku?m=h8_h9_i9_g7'],
  ['contrast', '#/contrast?m=c1,c2%20d3g_c5,c4'],
  ['tictactoe', '#/tictactoe?m=b2_a1'],
  ['puyo-turns', '#/puyo'],
  ['puyo-solo', '#/puyo-solo'],
  ['settings', '#/othello', click('#settings')],
  ['share', '#/othello?m=f5_d6', click('[data-act=share]')],
  ['editor', '#/othello', click('[data-act=edit]')],
  ['rules', '#/renju', click('.who .tool >> nth=0')],
  ['stored', `#/othello?m=${wide}`, click('[data-act=stored]')],
  ...['versus', 'solo', 'practice', 'advisor', 'simulate', 'editor', 'replay'].map((n) => [`puyo-${n}`, jump(n), ready(`.pv-tabs [aria-current][href$="${n}"]`)]),
];
const serverless = [
  ['train', '#/train', ready('.need')],
  ['rate', '#/rate', ready('.need')],
];
const served = [
  ['train', '#/train/tictactoe', both(ready('[data-chart=perfect] canvas'), ready('.boards svg.mini'))],
  ['train-contrast', '#/train/contrast', ready('[data-chart=loss] canvas')],
  ['train-new', '#/train', both(ready('.wide'), click('[data-act=new-run]'), ready('dialog .option select'))],
  ['rate', '#/rate/ladder', both(ready('[data-table=ratings] .point'), async (page) => { await page.locator('.gamelist button').first().click(); }, ready('.replay svg.mini'))],
  ['rate-sprt', '#/rate/sprt', ready('[data-chart=sprt] canvas')],
  ['rate-new', '#/rate', both(ready('.wide'), click('[data-act=new-bench]'))],
  ['agent', '#/othello', async (page) => { if (await page.locator('.tabs').isVisible()) await page.getByRole('tab').nth(3).click(); await page.locator('[data-act=agent]').click(); }],
  ['stored', `#/othello?m=${wide}`, click('[data-act=stored]')],
];

// The README's pictures: file, address, screen, what to do before.
const game = 'f5_d6_c3_d3_c4_f4_c5_b3_c2_e6_b4_f3_e3_e2_f6_d2_f1_e1_d1_b6_g4_a3';
const reviewed = async (page) => {
  await page.locator('.moveshead .link').click();
  await page.waitForSelector('.review .bad, .review .sm', { timeout: 120000 });
  await engine(page);
  await page.waitForTimeout(4000);
};
const pairsPlaced = async (page) => {
  for (const [left, turn] of [[2, 0], [1, 1], [-2, 0], [0, 1], [-1, 0], [2, 1], [-3, 0], [1, 0]]) {
    await page.waitForFunction(() => !document.querySelector('.pad .padbtn')?.disabled);
    for (let i = 0; i < Math.abs(left); i++) await page.keyboard.press(left > 0 ? 'ArrowLeft' : 'ArrowRight');
    for (let i = 0; i < turn; i++) await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(2500);
  }
};
const readme = [
  ['site', 'othello', `#/othello?m=${game}`, {}, '?theme=light&lang=en', reviewed],
  ['site', 'renju-phone', '#/renju?m=h7_i9_i8_g6_h6_k9_j8_g5', phone, '?theme=dark&lang=ja'],
  ['site', 'puyo-phone', '#/puyo', phone, '?theme=light&lang=ja', pairsPlaced],
  ['serve', 'train', '#/train/tictactoe', {}, '?theme=light&lang=en', async (page) => { await ready('[data-chart=perfect] canvas')(page); await page.waitForFunction(() => document.querySelectorAll('.boards .mark').length > 18, undefined, { timeout: 60000 }); }],
];
async function shootReadme(b, group) {
  for (const [from, name, hash, options, query, prepare] of readme) {
    if (from !== group) continue;
    const { page, context } = await b.page(options);
    const file = join(top, 'docs/page', `${name}.png`);
    await page.goto(`${b.url}${query}${hash}`);
    await page.waitForSelector('.stage, .wide');
    await prepare?.(page);
    await page.waitForTimeout(500);
    await page.screenshot({ path: file });
    spawnSync('convert', [file, '-strip', '+dither', '-colors', '200', `PNG8:${file}`]); // half the size, and nobody sees it
    await context.close();
  }
}

const screens = [];
for (const [size, options] of [['desktop', {}], ['phone', phone]])
  for (const theme of ['light', 'dark']) for (const lang of ['en', 'ja']) screens.push({ name: `${size}-${theme}-${lang}`, options, query: `?theme=${theme}&lang=${lang}` });

async function shoot(b, group, views, urlOf) {
  for (const s of screens)
    for (const [name, hash, prepare] of views) {
      const file = `${group}-${name}-${s.name}`;
      if (wanted.length > 0 && !wanted.some((w) => file.includes(w))) continue;
      const { page, context, errors } = await b.page(s.options);
      page.setDefaultTimeout(20000);
      try {
        await page.goto(urlOf(hash, s.query));
        await page.waitForSelector('.stage, .wide, .need, .pv-tabs, main');
        await prepare?.(page);
        await page.evaluate(() => document.fonts.ready);
        await page.waitForTimeout(250); // a picture, not a test
        await page.screenshot({ path: join(out, `${file}.png`), fullPage: group === 'report' });
        if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) console.log(`${file}: wider than the screen`);
        if (group !== 'report' && errors.length > 0) console.log(`${file}: ${errors.join('; ')}`);
      } catch (e) {
        console.log(`${file}: ${String(e.message).split('\n')[0]}`);
        await page.screenshot({ path: join(out, `${file}.png`) }).catch(() => undefined);
      }
      await context.close();
    }
}

function sheets() {
  if (spawnSync('montage', ['-version']).error) return;
  for (const group of ['site', 'serve', 'report'])
    for (const s of screens) {
      const files = execFileSync('bash', ['-c', `ls ${JSON.stringify(out)}/${group}-*-${s.name}.png 2>/dev/null || true`], { encoding: 'utf8' }).trim().split('\n').filter(Boolean);
      const across = s.name.startsWith('phone') ? 7 : 4;
      if (files.length > 0) spawnSync('montage', [...files, '-tile', `${across}x`, '-geometry', s.name.startsWith('phone') ? '390x844>+6+6' : '800x500>+6+6', '-background', '#888', join(out, `sheet-${group}-${s.name}.png`)]);
    }
}

mkdirSync(out, { recursive: true });
const ofReadme = wanted.includes('readme');
const any = (group) => (ofReadme ? group !== 'report' : wanted.length === 0 || wanted.some((w) => group.startsWith(w.split('-')[0]) || !/^(site|serve|report)/.test(w)));
const data = mkdtempSync(join(tmpdir(), 'keiko-screens-'));
const keiko = (...args) => execFileSync(program, args, { cwd: data, stdio: 'pipe' });
if (any('serve') || any('report')) {
  keiko('train', 'tictactoe', '--run', 'runs/tictactoe', '--minutes', '0.3', '--eval-every', '100', '-q');
  keiko('train', 'contrast', '--run', 'runs/contrast', '--minutes', '0.3', '-q');
  keiko('bench', '-g', 'othello', '-p', 'random;greedy;d1=alphabeta:depth=1;d3=alphabeta:depth=3;mcts:sims=50', '-n', '12', '-q', '-o', 'benches/ladder');
  keiko('bench', '-g', 'tictactoe', '-p', 'mcts:sims=20;random', '--sprt', 'elo0=0,elo1=60', '-q', '-o', 'benches/sprt');
}
if (any('site')) {
  const b = await browser();
  if (ofReadme) await shootReadme(b, 'site');
  else await shoot(b, 'site', [...play, ...serverless], (hash, query) => `${b.url}${query}${hash}`);
  await b.close();
}
if (any('serve')) {
  const server = await serveProgram();
  for (const folder of ['runs', 'benches']) cpSync(join(data, folder), join(server.data, folder), { recursive: true });
  const b = await browser({ server });
  if (ofReadme) await shootReadme(b, 'serve');
  else await shoot(b, 'serve', served, (hash, query) => `${b.url}${query}${hash}`);
  await b.close();
}
if (any('report')) {
  const b = await browser();
  const reports = [['training', 'runs/tictactoe'], ['contrast', 'runs/contrast'], ['bench', 'benches/ladder'], ['sprt', 'benches/sprt']];
  for (const [name, dir] of reports) if (existsSync(join(data, dir))) keiko('report', dir, '-o', `${name}.html`);
  await shoot(b, 'report', reports.map(([name]) => [name, `${name}.html`]), (file, query) => pathToFileURL(join(data, file)).href + query);
  await b.close();
}
rmSync(data, { recursive: true, force: true });
if (!ofReadme) sheets();
console.log(`pictures are in ${ofReadme ? 'docs/page' : out}`);
