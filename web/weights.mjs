// Weights that are C tables: the numbers of a table, and what those inside the engine take of the page.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export function table(top, file, name) {
  const numbers = readFileSync(join(top, 'src/search', file), 'utf8').replace(/\/\/.*/g, '').split(`${name} =`)[1].match(/-?\d+/g);
  return new Uint8Array(Int16Array.from(numbers, Number).buffer);
}

// Contrast's evaluation is small, and is compiled into the engine.
export const weightsInside = (top) => gzipSync(table(top, 'contrast/contrast_weights.c', 'ctr_weights[CTR_WEIGHTS]'), { level: 9 }).length;
