// Drawing a Puyo field on a canvas: puyos with shapes, joined where colours touch. Rows count from 0, the bottom.
export const COLS = 6;
export const ROWS = 13; // the 13th is half visible
export type Grid = string[][]; // [row from the bottom][column]: R G B Y P, O nuisance, '.' empty

export function parse(text: string): Grid {
  const rows = text.split('/').reverse();
  return Array.from({ length: ROWS + 1 }, (_, r) => Array.from({ length: COLS }, (_, c) => rows[r]?.[c] ?? '.'));
}

export const cellOf = (g: Grid, r: number, c: number): string => g[r]?.[c] ?? '.';

export interface Puyo {
  r: number; // may be between rows while falling
  c: number;
  colour: string;
  size?: number; // 1 = whole
  ghost?: boolean;
  glow?: number;
}

export interface Palette {
  back: string;
  line: string;
  edge: string;
  ink: string;
  worst: string;
  puyo: Record<string, string>;
}

export function palette(of: Element): Palette {
  const probe = document.createElement('span');
  of.append(probe);
  const get = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const p: Palette = {
    back: get('--sunk'),
    line: get('--line'),
    edge: get('--edge'),
    ink: get('--ink'),
    worst: get('--worst'),
    puyo: { R: get('--pr'), G: get('--pg'), B: get('--pb'), Y: get('--py'), P: get('--pp'), O: get('--po') },
  };
  probe.remove();
  return p;
}

function glyph(x: CanvasRenderingContext2D, colour: string): void {
  x.beginPath();
  if (colour === 'R') x.arc(0, 0, 11, 0, 7);
  else if (colour === 'G') (x.moveTo(0, -13), x.lineTo(12, 9), x.lineTo(-12, 9), x.closePath());
  else if (colour === 'B') (x.moveTo(0, -14), x.lineTo(12, 0), x.lineTo(0, 14), x.lineTo(-12, 0), x.closePath());
  else if (colour === 'Y') x.rect(-10, -10, 20, 20);
  else if (colour === 'P') for (let i = 0; i < 10; i++) { const a = (Math.PI * i) / 5 - Math.PI / 2, r = i % 2 ? 6 : 14; x.lineTo(r * Math.cos(a), r * Math.sin(a)); }
  if (colour === 'O') {
    x.moveTo(-9, -9); x.lineTo(9, 9); x.moveTo(9, -9); x.lineTo(-9, 9);
    x.lineWidth = 5;
    x.stroke();
  } else x.fill();
}

export function drawPuyo(x: CanvasRenderingContext2D, p: Palette, q: Puyo, px: number, py: number): void {
  const colour = p.puyo[q.colour] ?? p.ink;
  x.save();
  x.translate(px, py);
  x.scale(q.size ?? 1, q.size ?? 1);
  x.beginPath();
  x.arc(0, 0, q.ghost ? 38 : 43, 0, 7);
  if (q.ghost) {
    x.globalAlpha = 0.28;
    x.fillStyle = colour;
    x.fill();
    x.globalAlpha = 1;
    x.setLineDash([14, 10]);
    x.lineWidth = 6;
    x.strokeStyle = colour;
    x.stroke();
    x.setLineDash([]);
    x.fillStyle = p.ink;
    x.strokeStyle = p.ink;
  } else {
    x.fillStyle = colour;
    x.fill();
    if (q.glow) {
      x.fillStyle = `rgba(255,255,255,${0.7 * q.glow})`;
      x.fill();
    }
    x.fillStyle = 'rgba(0,0,0,.5)';
    x.strokeStyle = 'rgba(0,0,0,.45)';
  }
  glyph(x, q.colour);
  x.restore();
}

// Units: a cell is 100 wide; the field is 600 by 1250, its 13th row half visible at the top.
export const WIDTH = 600;
export const HEIGHT = 1250;
export const cy = (r: number): number => HEIGHT - 50 - 100 * r;
export const cx = (c: number): number => 50 + 100 * c;

export function drawField(x: CanvasRenderingContext2D, p: Palette, puyos: Puyo[], joined: boolean): void {
  x.fillStyle = p.back;
  x.fillRect(0, 0, WIDTH, HEIGHT);
  x.strokeStyle = p.line;
  x.lineWidth = 2;
  x.beginPath();
  for (let c = 1; c < COLS; c++) (x.moveTo(100 * c, 50), x.lineTo(100 * c, HEIGHT));
  x.stroke();
  x.strokeStyle = p.edge;
  x.setLineDash([6, 8]);
  x.beginPath();
  x.moveTo(0, 50);
  x.lineTo(WIDTH, 50);
  x.stroke();
  x.setLineDash([]);
  x.strokeStyle = p.worst;
  x.globalAlpha = 0.55;
  x.lineWidth = 6;
  x.beginPath();
  x.moveTo(225, 75); x.lineTo(275, 125); x.moveTo(275, 75); x.lineTo(225, 125);
  x.stroke();
  x.globalAlpha = 1;
  if (joined) {
    const at = new Map(puyos.filter((q) => !q.ghost).map((q) => [`${q.r},${q.c}`, q.colour]));
    x.lineWidth = 56;
    for (const q of puyos) {
      if (q.ghost || q.colour === 'O' || q.r >= 12) continue;
      x.strokeStyle = p.puyo[q.colour] ?? p.ink;
      for (const [dr, dc] of [[1, 0], [0, 1]] as const) {
        if (q.r + dr >= 12 || at.get(`${q.r + dr},${q.c + dc}`) !== q.colour) continue;
        x.beginPath();
        x.moveTo(cx(q.c), cy(q.r));
        x.lineTo(cx(q.c + dc), cy(q.r + dr));
        x.stroke();
      }
    }
  }
  for (const q of puyos) drawPuyo(x, p, q, cx(q.c), cy(q.r));
}

export const still = (g: Grid): Puyo[] =>
  g.flatMap((row, r) => row.flatMap((colour, c): Puyo[] => (colour === '.' ? [] : [{ r, c, colour }])));

// From the field after popping to the field after falling: in each column the order stays.
export function falling(from: Grid, gone: Grid, to: Grid): { colour: string; c: number; from: number; to: number }[] {
  const moves: { colour: string; c: number; from: number; to: number }[] = [];
  for (let c = 0; c < COLS; c++) {
    const old: [number, string][] = [];
    for (let r = 0; r < from.length; r++) if (cellOf(from, r, c) !== '.' && cellOf(gone, r, c) === '.') old.push([r, cellOf(from, r, c)]);
    const fresh: number[] = [];
    for (let r = 0; r < to.length; r++) if (cellOf(to, r, c) !== '.') fresh.push(r);
    fresh.forEach((r, i) => {
      const o = old[i];
      moves.push({ colour: cellOf(to, r, c), c, from: o && o[1] === cellOf(to, r, c) ? o[0] : ROWS + 1 + (i - old.length), to: r });
    });
  }
  return moves;
}

// --- editing

export const empty = (): Grid => parse('......');

export function toText(g: Grid): string {
  const rows = g.slice(0, ROWS).map((r) => r.join(''));
  while (rows.length > 1 && rows.at(-1) === '......') rows.pop();
  return rows.reverse().join('/');
}

const column = (g: Grid, c: number): string[] => g.map((row) => row[c] ?? '.').filter((x) => x !== '.');

// The column as people mean it: a puyo replaces one or goes on top; an erased one lets the others fall.
export function changed(g: Grid, c: number, r: number, colour: string): Grid {
  const stack = column(g, c);
  if (colour === '.') stack.splice(r, 1);
  else if (r < stack.length) stack[r] = colour;
  else if (stack.length < ROWS) stack.push(colour);
  return g.map((row, y) => row.map((x, i) => (i === c ? (stack[y] ?? '.') : x)));
}
