// keiko.wasm under node, for tests: the page's own wrapper, bundled.
import { build } from 'esbuild';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const top = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const file = process.env.WASM ?? join(top, 'build/wasm/keiko.wasm');
const bundle = join(top, 'build/web-test/wasm.mjs');

export const data = process.env.KEIKO_DATA ?? join(top, '../shared/data');
export const built = existsSync(file) ? false : `${file} is missing: make site`;
export const model = (name) => readFileSync(join(top, 'models', name));
export const fetched = (name) => readFileSync(join(process.env.SITE ?? join(top, 'build/site'), 'models', name)); // that the build of the page writes

export async function keiko(hooks = {}) {
  mkdirSync(dirname(bundle), { recursive: true });
  await build({ entryPoints: [join(top, 'web/engine/wasm.ts')], outfile: bundle, bundle: true, format: 'esm', logLevel: 'error' });
  const { Keiko } = await import(pathToFileURL(bundle).href);
  return Keiko.open(readFileSync(file), hooks);
}
