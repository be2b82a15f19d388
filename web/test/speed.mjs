// How fast the engine of the page is against the program with --simd scalar, one thread each, in processor time:
//   node web/test/speed.mjs [build/keiko]
// The goal is 0.6. Not a test of `make web-test`: it measures.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetched, keiko, model } from './wasm.mjs';

const top = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = process.argv[2] ?? join(top, 'build/keiko');
const only = process.argv[3] ?? '';
const cases = [
  ['Othello alpha-beta', 'othello', 'f5;d6;c3;d3;c4;f4;c5;b3', 'alphabeta:depth=26,exact=0', 'f5;f6;e6;f4'],
  ['Othello MCTS, playouts', 'othello', 'f5;d6;c3', 'mcts:sims=300000', 'f5;f6;e6'],
  ['Othello network', 'othello', 'f5;d6;c3', 'zero:sims=300', 'f5;f6;e6'],
  ['Contrast network', 'contrast', '', 'zero:sims=2500', 'c1,c2'],
  ['Contrast alpha-beta', 'contrast', 'c1,c2 d3g;c5,c4', 'alphabeta:depth=8', 'c1,c2'],
  ['Renju alpha-beta', 'renju', 'h8;i9;j9', 'alphabeta:nodes=2000000', 'h8;h9'],
  ['Tic-tac-toe MCTS', 'tictactoe', '', 'mcts:sims=3000000,solver=no', 'b2'],
  ['Puyo beam', 'puyo-solo', '', 'beam:width=4000', ''],
];

function native(game, moves, agent) {
  const command = `TIMEFORMAT=%U; time "${program}" analyse ${game} start --moves "${moves}" --agent "${agent}${agent.includes(':') ? ',' : ':'}threads=1" --simd scalar --json --multipv 1`;
  const run = (text) => execFileSync('bash', ['-c', `{ ${text}; } 2>&1`], { encoding: 'utf8', cwd: top });
  let out;
  try {
    out = run(command);
    if (/threads/.test(out.split('\n')[0])) throw new Error('no threads');
  } catch {
    out = run(command.replace(/,threads=1|:threads=1/, ''));
  }
  return { seconds: Number(out.trim().split('\n').at(-1)), nodes: Number(/"nodes": ?(\d+)/.exec(out)?.[1] ?? 0) };
}

async function page(game, moves, agent, other) {
  const k = await keiko();
  for (const f of ['othello-patterns.bin', 'othello.safetensors', 'contrast.safetensors']) k.file(`models/${f}`, model(f));
  k.file('models/renju-weights.bin', fetched('renju-weights.bin'));
  k.call(0, 'new', { game, moves: other, quiet: 1 });
  const think = () => k.call(0, 'analyse', { helper: agent, count: 1 }).analysis.moves[0].nodes;
  think(); // compiled now; another position, since searches remember
  k.call(0, 'new', { game, moves, quiet: 1 });
  const begun = process.cpuUsage();
  const nodes = think();
  const used = process.cpuUsage(begun);
  return { seconds: used.user / 1e6, nodes };
}

for (const [name, game, moves, agent, other] of cases.filter((c) => c[0].includes(only))) {
  try {
    const a = native(game, moves, agent);
    const b = await page(game, moves, agent, other);
    const ratio = b.nodes > 0 && a.nodes > 0 ? b.nodes / b.seconds / (a.nodes / a.seconds) : a.seconds / b.seconds;
    console.log(`${name.padEnd(24)} ${ratio.toFixed(2)}   page ${Math.round(b.nodes / b.seconds).toLocaleString('en')}/s (${b.seconds.toFixed(2)} s)   program ${Math.round(a.nodes / a.seconds).toLocaleString('en')}/s (${a.seconds.toFixed(2)} s)`);
  } catch (e) {
    console.log(`${name.padEnd(24)} ${String(e.message).split('\n')[0]}`);
  }
}
