// A field that can be edited with mouse, touch and keys. Puyos fall where they are put; nothing pops here.
import { useSignal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { t, word } from '../../ui/i18n';
import { PuyoArt } from './board';
import { cellOf, changed, COLS, ROWS, still, type Grid, type Puyo } from './field';
import { FieldCanvas, Screen, type Mark } from './screen';

export const COLOURS = ['R', 'G', 'B', 'Y', 'P', 'O'] as const;

interface Props {
  grid: Signal<Grid>;
  extra?: Puyo[];
  marks?: Mark[];
  change(g: Grid): void;
}

export function FieldEditor({ grid, extra = [], marks = [], change }: Props) {
  const screen = useMemo(() => new Screen(), []);
  const colour = useSignal<string>('R');
  const cursor = useSignal<{ c: number; r: number } | null>(null);
  const drawn = useRef<string>('');
  const at = cursor.value;

  useEffect(() => {
    const ring: Mark[] = at ? [{ c: at.c, r: at.r, text: '', done: true }] : [];
    screen.paint([...still(grid.value), ...extra], true, [...marks, ...ring]);
  });

  const cell = (e: PointerEvent) => {
    const b = (e.currentTarget as Element).getBoundingClientRect();
    const c = Math.floor(((e.clientX - b.left) / b.width) * COLS);
    const r = Math.floor((1 - (e.clientY - b.top) / b.height) * 12.5);
    return { c: Math.max(0, Math.min(COLS - 1, c)), r: Math.max(0, Math.min(ROWS - 1, r)) };
  };
  const put = (c: number, r: number, what = colour.value) => change(changed(grid.value, c, r, what));
  const stroke = (e: PointerEvent) => {
    const { c, r } = cell(e);
    const key = `${c},${r}`;
    if (drawn.current === key || !drawn.current) return;
    drawn.current = key;
    put(c, r);
  };
  const key = (e: KeyboardEvent) => {
    const now = cursor.value ?? { c: 0, r: 0 };
    const step: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const d = step[e.key];
    const name = e.key.toUpperCase();
    if (d) cursor.value = cursor.value ? { c: Math.max(0, Math.min(5, now.c + d[0])), r: Math.max(0, Math.min(12, now.r + d[1])) } : now;
    else if (COLOURS.includes(name as 'R')) put(now.c, now.r, name);
    else if (e.key === 'Enter' || e.key === ' ') put(now.c, now.r);
    else if (e.key === 'Delete' || e.key === 'Backspace' || e.key === '.') put(now.c, now.r, '.');
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  const here = at ? cellOf(grid.value, at.r, at.c) : '.';
  return (
    <div class="pv-edit">
      <FieldCanvas
        screen={screen}
        label={t('pv.editHelp')}
        role="application"
        tabIndex={0}
        onKeyDown={key}
        onBlur={() => (cursor.value = null)}
        onPointerDown={(e: PointerEvent) => {
          (e.currentTarget as Element).setPointerCapture(e.pointerId);
          const { c, r } = cell(e);
          drawn.current = `${c},${r}`;
          if (e.button === 2) put(c, r, '.');
          else put(c, r);
        }}
        onPointerMove={stroke}
        onPointerUp={() => (drawn.current = '')}
        onPointerCancel={() => (drawn.current = '')}
        onContextMenu={(e: Event) => e.preventDefault()}
      />
      <div class="pv-colours" role="radiogroup" aria-label={t('pv.colour')}>
        {[...COLOURS, '.'].map((x) => (
          <button key={x} type="button" role="radio" aria-checked={colour.value === x} class={colour.value === x ? 'padbtn on' : 'padbtn'} aria-label={word('pv.colour', x === '.' ? 'none' : x)} onClick={() => (colour.value = x)}>
            {x === '.' ? <span aria-hidden="true">×</span> : <svg width="26" height="26" viewBox="0 0 100 100" aria-hidden="true"><PuyoArt colour={x} y={50} /></svg>}
          </button>
        ))}
      </div>
      <span class="hidden" aria-live="polite">{at ? `${at.c + 1}, ${at.r + 1}: ${word('pv.colour', here === '.' ? 'none' : here)}` : ''}</span>
    </div>
  );
}
