// What moves in one field: the pair falls, each link pops and falls, nuisance falls. A list of scenes, played in order.
import type { PuyoSteps } from '../../engine/types';
import { cellOf, falling, parse, ROWS, still, type Grid, type Puyo } from './field';

export interface Scene {
  ms: number;
  draw(part: number): Puyo[]; // part: 0 to 1
  joined: boolean;
  link?: { n: number; score: number }; // begins here
}

const ease = (t: number): number => t * t;

export function placing(before: Grid, steps: PuyoSteps): Scene[] {
  const placed = parse(steps.placed);
  const landed: { colour: string; c: number; r: number }[] = [];
  for (let r = 0; r < placed.length; r++) for (let c = 0; c < 6; c++) if (cellOf(placed, r, c) !== '.' && cellOf(before, r, c) === '.') landed.push({ colour: cellOf(placed, r, c), c, r });
  const base = Math.min(...landed.map((p) => p.r));
  const scenes: Scene[] = [
    {
      ms: 180,
      joined: true,
      draw: (t) => [...still(before), ...landed.map((p) => ({ colour: p.colour, c: p.c, r: p.r + (1 - ease(t)) * (ROWS - 2 - base) }))],
    },
  ];
  let field = placed;
  steps.links.forEach((l, i) => {
    const now = field;
    const gone = parse(l.popped);
    const next = parse(l.field);
    scenes.push({
      ms: 420,
      joined: true,
      link: { n: i + 1, score: l.score },
      draw: (t) =>
        still(now).map((p) => {
          if (cellOf(gone, p.r, p.c) === '.') return p;
          return t < 0.6 ? { ...p, glow: Math.abs(Math.sin(t * 15)) } : { ...p, size: Math.max(0.01, 1 - (t - 0.6) / 0.4) };
        }),
    });
    scenes.push(fall(now, gone, next, 180));
    field = next;
  });
  return scenes;
}

export function fall(from: Grid, gone: Grid, to: Grid, ms: number): Scene {
  const moves = falling(from, gone, to);
  return { ms, joined: false, draw: (t) => moves.map((m) => ({ colour: m.colour, c: m.c, r: m.from + (m.to - m.from) * ease(t) })) };
}

export const nothing: Grid = parse('......');
export const same = (a: Grid, b: Grid): boolean => a.every((row, r) => row.join('') === b[r]?.join(''));
export const finalOf = (steps: PuyoSteps): Grid => parse(steps.links.at(-1)?.field ?? steps.placed);
