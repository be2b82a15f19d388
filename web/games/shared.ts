// What boards have in common: which board to show, the engine's scores, names of squares.
import type { View } from '../engine/types';
import { signed, t } from '../ui/i18n';
import type { Table } from '../views/play/table';

export interface BoardProps {
  table: Table;
}

export const shown = <V extends View>(table: Table): V => (table.preview.value?.view ?? table.state.value!.view) as V;

export interface Score {
  text: string;
  best: boolean;
  exact: boolean; // proven, not estimated
}

export const percent = (value: number): string => `${Math.round(100 * value)}`;

// The engine's opinion of each move it looked at, for the board.
export function scores(table: Table, most = 64): Map<string, Score> {
  const found = new Map<string, Score>();
  if (!table.engineOn.value || table.preview.value || table.over.value) return found;
  table.analysis.value?.moves.slice(0, most).forEach((l, i) => {
    if (l.value === null) return;
    found.set(l.move, { text: l.margin !== undefined ? signed(l.margin) : percent(l.value), best: i === 0, exact: /^(final|proven|wins|loses) /.test(l.line) });
  });
  return found;
}

// Squares named by column letter and row number.
export const square = (cell: number, cols: number, rows: number, fromTop: boolean): string => {
  const c = cell % cols;
  const r = Math.floor(cell / cols);
  return String.fromCharCode(97 + c) + (fromTop ? r + 1 : rows - r);
};
export const cellOf = (name: string, cols: number, rows: number, fromTop: boolean): number => {
  const m = /^([a-z])(\d+)$/.exec(name);
  if (!m) return -1;
  const c = m[1]!.charCodeAt(0) - 97;
  const r = fromTop ? Number(m[2]) - 1 : rows - Number(m[2]);
  return c < 0 || r < 0 || c >= cols || r >= rows ? -1 : r * cols + c;
};

export function boardLabel(table: Table): string {
  const game = t(`game.${table.def.value.name}` as never);
  return table.over.value ? t('board.over', { game }) : t('board.label', { game, side: table.side(table.session.value!.seat) });
}

// Moves of the shown line by square: the number to write on a stone. Of a preview only what it adds.
export function numbered(table: Table, all: boolean): Map<string, number> {
  const found = new Map<string, number>();
  if (table.preview.value) table.preview.value.moves.forEach((m, i) => found.set(m, i + 1));
  else if (all) table.path.value.slice(1).forEach((n, i) => n.move && found.set(n.move, i + 1));
  return found;
}
