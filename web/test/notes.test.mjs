// What the program writes in English exists in Japanese: every sentence about a bench, with the same names and numbers, and the
// names of curves and set-ups in a report.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const source = (file) => readFileSync(join(web, '../src', file), 'utf8');

// The texts of the calls of `name` in C: the first string of each, its parts put together.
function texts(c, name) {
  const calls = [...c.matchAll(new RegExp(`\\b${name}\\(`, 'g'))].map((m) => c.slice(m.index, c.indexOf(';\n', m.index)));
  const whole = calls.map((call) => call.match(/("(?:[^"\\]|\\.)*"\s*)+/)?.[0]).filter(Boolean);
  return whole.map((w) => [...w.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((m) => m[1]).join('').replaceAll('\\n', '').trim());
}

// A sentence as the program prints it, and what must come back from it.
function filled(text) {
  const parts = [];
  const line = text.replace(/%(%|[-+ #0]*[.\d]*(?:zu|ll?u|[sdfg]))/g, (all, kind) => {
    if (kind === '%') return '%';
    const part = kind === 's' ? (/: %s\.$/.test(text) ? "'it's a', 'b' and 3 more" : `x'${parts.length}`) : kind.startsWith('+') ? `+${11 + parts.length}` : String(11 + parts.length);
    parts.push(part);
    return part;
  });
  return { line, parts };
}

const choices = (text) => ['is at %s ', ', %s Elo '].reduce((all, at, i) => all.flatMap((t) => (t.includes(at) ? [['least', 'most'], ['logistic', 'normalised']][i].map((w) => t.replace(at, at.replace('%s', w))) : [t])), [text]);

// A module of the page, in Japanese.
async function inJapanese(file) {
  const settings = { name: 'settings', setup: (b) => b.onLoad({ filter: /ui\/settings\.ts$/ }, () => ({ contents: "export const settings = { value: { lang: 'ja' } };" })) };
  const made = await build({ entryPoints: [join(web, file)], bundle: true, write: false, format: 'esm', plugins: [settings] });
  return import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString('base64')}`);
}
const japanese = /[ぁ-んァ-ヶ一-龠]/;

test('every sentence about a bench exists in Japanese', async () => {
  const { said, notes } = await inJapanese('views/rate/notes.ts');
  const { testWords } = await inJapanese('report/test_words.ts');
  const sentences = [...notes, ...testWords];
  const table = source('arena/table.c');
  const all = [
    ...['stats/linkage.c', 'stats/rating.c', 'arena/view.c'].flatMap((f) => texts(source(f), 'notes_add')),
    ...texts(table.slice(table.indexOf('void table_test('), table.indexOf('static void put_notes(')), 'text_printf'),
  ].flatMap(choices);
  assert.ok(all.length >= 20, `only ${all.length} sentences found in the sources`);
  const used = new Set();
  for (const text of all) {
    const { line, parts } = filled(text);
    const fits = sentences.filter(([english]) => english.test(line));
    assert.equal(fits.length, 1, `${fits.length} entries in views/rate/notes.ts fit: ${line}`);
    used.add(fits[0]);
    const ja = said(line, sentences);
    assert.match(ja, japanese, line);
    assert.doesNotMatch(ja, /\$\d|\b(?:the|of|and|more)\b/, ja);
    for (const p of parts.filter((p) => !p.startsWith("'"))) assert.ok(ja.includes(p), `${p} is lost: ${ja}`);
    for (const p of parts.filter((p) => p.startsWith("'"))) assert.ok(ja.includes("「it's a」「b」 ほか 3 人"), `${p} became: ${ja}`);
  }
  assert.deepEqual(sentences.filter((s) => !used.has(s)).map(([english]) => String(english)), [], 'entries without a sentence in the sources');
});

test('every name of a curve, a schedule and a kind of interval exists in Japanese', async () => {
  const { spoken } = await inJapanese('report/texts.ts');
  const files = ['zero/az_log.c', 'zero/az_shares.c', 'dqn/dqn_train.c', 'distil/distil.c'].map((f) => source(`learn/${f}`)).join('\n');
  const logged = [...files.matchAll(/RUN_N\("(\w+)"/g)].map((m) => m[1]);
  const list = (text, from) => [...text.slice(text.indexOf(from), text.indexOf('};', text.indexOf(from))).matchAll(/"([\w-]+)"/g)].map((m) => m[1]);
  const parts = [...source('search/puyo/puyo_reward.h').matchAll(/^ {4}R\((\w+),/gm)].map((m) => `reward_${m[1]}`);
  const heads = list(source('nn/desc.c'), 'kind_names[').map((k) => `loss_${k === 'board' ? 'ownership' : k}`);
  // Curves that share a picture carry their names.
  const pictures = readFileSync(join(web, 'report/training.tsx'), 'utf8');
  const shared = [...pictures.matchAll(/names: '([^']*[ *][^']*)'/g)].flatMap((m) => m[1].split(' '));
  const curves = [...logged, ...parts, ...heads].filter((name) => shared.some((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) && name !== p.slice(0, -1) : p === name)));
  const stages = [...files.matchAll(/"time",[^;]*;/g)].flatMap((m) => [...m[0].matchAll(/RUN_N\("(\w+)"/g)].map((n) => n[1]));
  const setups = [...list(source('arena/schedule.c'), 'schedule_names['), ...list(source('stats/rating.c'), 'error_names[').slice(1)];
  assert.ok(curves.length > 25 && stages.length > 4 && setups.length === 7, `${curves.length} ${stages.length} ${setups}`);
  const short = (name) => name.replace(/^(loss|reward|entropy|chain|q|busy)_/, '');
  const without = [...new Set([...curves.map(short), ...stages, ...setups])].filter((name) => name !== 'loss' && !japanese.test(spoken(name)));
  assert.deepEqual(without, [], 'report/texts.ts lacks these');
});
