// Builds the page into build/site/: bundles, style sheet, engine, rules as HTML, weights, service worker. Prints what it weighs.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { html } from './markdown.mjs';
import { table, weightsInside } from './weights.mjs';

const web = dirname(fileURLToPath(import.meta.url));
const top = dirname(web);
const out = process.env.SITE ?? join(top, 'build/site');
const wasm = process.env.WASM ?? join(top, 'build/wasm/keiko.wasm');

if (!existsSync(wasm)) {
  console.error(`${relative(top, wasm)} is missing: cmake --preset wasm && cmake --build --preset wasm`);
  process.exit(1);
}
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'models'), { recursive: true });

const common = { bundle: true, minify: true, format: 'esm', target: ['es2022'], absWorkingDir: web, legalComments: 'none', logLevel: 'warning', jsx: 'automatic', jsxImportSource: 'preact' };
await build({ ...common, entryPoints: { app: 'app.tsx' }, outdir: out, splitting: true, chunkNames: 'part-[hash]' });
await build({ ...common, entryPoints: { worker: 'engine/worker.ts' }, outdir: out });
await build({ ...common, entryPoints: ['app.css'], outdir: out, target: ['chrome123'] });

for (const f of ['icon.svg', 'manifest.webmanifest']) cpSync(join(web, f), join(out, f));
// The entry only imports the part with the page: browsers ask for both at once.
const first = /"\.\/(part-\w+\.js)"/.exec(readFileSync(join(out, 'app.js'), 'utf8'))[1];
writeFileSync(join(out, 'index.html'), readFileSync(join(web, 'index.html'), 'utf8').replace('<script', `<link rel="modulepreload" href="${first}">\n$&`));
cpSync(wasm, join(out, 'keiko.wasm'));
// A server answers here; a static site says that it is none, so that asking is no error.
mkdirSync(join(out, 'api/1'), { recursive: true });
writeFileSync(join(out, 'api/1/machine'), '{"static": true}\n');

// Rules, one file per language: together they are smaller. The lines about the command line are left out: they help nobody here.
mkdirSync(join(out, 'rules'), { recursive: true });
for (const [lang, from] of [['en', 'docs/rules'], ['ja', 'docs/ja/rules']]) {
  const pages = readdirSync(join(top, from)).filter((f) => f.endsWith('.md'));
  writeFileSync(join(out, 'rules', `${lang}.json`), JSON.stringify(Object.fromEntries(pages.map((f) => [f.replace('.md', ''), html(readFileSync(join(top, from, f), 'utf8'))]))));
}

// The fitted numbers of the renju engine, as the bytes of the C table: src/wasm/renju.c finds them. Kept at the first visit, as
// they are small, so that every level plays offline.
const renju = table(top, 'renju/renju_weights.c', 'rj_weights_of[3]');
if (renju.length !== 2 * 3 * (4 * 135 + 2 * 2048 + 4 * 135 + 12 + 39 * 16 + 1)) throw new Error(`renju_weights.c has ${renju.length / 2} numbers: see rj_weights in renju_weights.h`);
writeFileSync(join(out, 'models/renju-weights.bin'), renju);

const list = (dir) => readdirSync(dir, { withFileTypes: true }).flatMap((d) => (d.isDirectory() ? list(join(dir, d.name)) : [join(dir, d.name)]));
const page = list(out);
for (const f of readdirSync(join(top, 'models')).filter((f) => /\.(bin|safetensors)$/.test(f))) cpSync(join(top, 'models', f), join(out, 'models', f));

const version = (files) => {
  const hash = createHash('sha256');
  for (const f of files) hash.update(relative(out, f)).update(readFileSync(f));
  return JSON.stringify(hash.digest('hex').slice(0, 12));
};
const names = page.map((f) => relative(out, f));
await build({ ...common, entryPoints: ['sw.ts'], outdir: out, define: { FILES: JSON.stringify(['./', ...names]), VERSION: version(page), WEIGHTS_VERSION: version(list(join(out, 'models'))) } });

// The template of `keiko report`, beside the page's folder: scripts and styles inside one file, no weight of the page.
const inside = { ...common, write: false, format: 'iife' };
const [js, css] = await Promise.all([build({ ...inside, entryPoints: ['report/report.tsx'] }), build({ ...inside, entryPoints: ['report/report.css'], target: ['chrome123'] })]).then((made) => made.map((m) => m.outputFiles[0].text.trim()));
if (/<\/script|<!--|@DATA@/i.test(js) || /<\/style/i.test(css)) throw new Error('the script or style of the report would end its element');
writeFileSync(join(dirname(out), 'report.html'), readFileSync(join(web, 'report/index.html'), 'utf8').replace('@CSS@', () => css).replace('@JS@', () => js));

let all = 0;
for (const f of list(out)) {
  const name = relative(out, f);
  if (name.startsWith('models/')) continue;
  const size = gzipSync(readFileSync(f), { level: 9 }).length;
  all += size;
  if (size > 2000) console.log(`${String(size).padStart(9)}  ${name}  (${statSync(f).size} before gzip)`);
}
const weights = weightsInside(top);
console.log(`${String(all).padStart(9)}  bytes gzip, ${weights} of them Contrast's weights; ${all - weights} without weights (limit 400000)`);
if (all - weights > 400000) {
  console.log('The page is larger than it should be. Where wasm-opt is missing (package binaryen), that is why.');
  if (process.argv[2] === 'test') process.exitCode = 1;
}
