// Half a move of Contrast: the piece, its target, and a tile in the hand. Everything offered is read off the legal moves.
import { signal } from '@preact/signals';
import type { Table } from '../../views/play/table';

export type Colour = 'b' | 'g';
export interface Half {
  at: number; // node that it belongs to
  from: string | null;
  to: string | null;
  tile: string | null; // square
  colour: Colour;
}

const none: Half = { at: -1, from: null, to: null, tile: null, colour: 'b' };
const made = signal<Half>(none);

interface Parts {
  from: string;
  to: string;
  tile: string | null;
  colour: Colour | null;
}
const parts = (move: string): Parts => {
  const m = /^(\w\d),(\w\d)(?: (\w\d)([bg]))?$/.exec(move);
  return { from: m?.[1] ?? '', to: m?.[2] ?? '', tile: m?.[3] ?? null, colour: (m?.[4] as Colour | undefined) ?? null };
};

export const half = (table: Table): Half => (made.value.at === table.session.value?.at ? made.value : none);

export function choices(table: Table): { pieces: Set<string>; targets: Set<string>; tiles: Set<string>; colours: Set<Colour> } {
  const h = half(table);
  const c = { pieces: new Set<string>(), targets: new Set<string>(), tiles: new Set<string>(), colours: new Set<Colour>() };
  if (!table.yourTurn.value || table.preview.value) return c;
  for (const p of table.session.value!.legal.map(parts)) {
    c.pieces.add(p.from);
    if (p.from === h.from) c.targets.add(p.to);
    if (p.from === h.from && p.to === h.to && p.colour) {
      c.colours.add(p.colour);
      if (p.colour === h.colour) c.tiles.add(p.tile!);
    }
  }
  return c;
}

export const notation = (h: Half): string => `${h.from},${h.to}${h.tile ? ` ${h.tile}${h.colour}` : ''}`;

const set = (table: Table, part: Partial<Half>) => (made.value = { ...half(table), at: table.session.value!.at, ...part });

export function clear(): void {
  made.value = none;
}

// One step back: tile, target, piece.
export function takeBack(table: Table): boolean {
  const h = half(table);
  if (h.tile) set(table, { tile: null });
  else if (h.to) set(table, { to: null });
  else if (h.from) clear();
  else return false;
  return true;
}

export function aim(table: Table, from: string, to: string): void {
  set(table, { from, to: null, tile: null });
  if (!choices(table).targets.has(to)) return;
  set(table, { to });
  const c = choices(table);
  if (c.colours.size === 0) confirm(table); // no tile can follow
  else if (!c.colours.has(half(table).colour)) set(table, { colour: [...c.colours][0]! });
}

export function pick(table: Table, square: string): void {
  const h = half(table);
  const c = choices(table);
  if (h.to) {
    if (square === h.tile) {
      const other: Colour = h.colour === 'b' ? 'g' : 'b';
      if (c.colours.has(other)) choose(table, other);
    } else if (c.tiles.has(square)) set(table, { tile: square });
    else if (square === h.to || square === h.from) set(table, { to: null, tile: null });
    return;
  }
  if (h.from && c.targets.has(square)) aim(table, h.from, square);
  else if (c.pieces.has(square)) set(table, { from: square === h.from ? null : square, to: null, tile: null });
  else clear();
}

export function choose(table: Table, colour: Colour): void {
  set(table, { colour });
  const h = half(table);
  if (h.tile && !choices(table).tiles.has(h.tile)) set(table, { tile: null });
}

export function confirm(table: Table, tile = true): void {
  const h = half(table);
  if (!h.from || !h.to) return;
  const move = notation(tile ? h : { ...h, tile: null });
  clear();
  void table.play(move);
}
