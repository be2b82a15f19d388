// The squares of a board as a grid that takes mouse, touch and keyboard, and that a screen reader can read. It draws nothing
// but the focus: boards draw under it.
import { useRef } from 'preact/hooks';
import { settings } from './settings';

export interface CellsProps {
  cols: number;
  rows: number;
  x: number; // of the first cell, in the drawing's units
  y: number;
  size: number;
  flip: boolean; // the board is turned by half a turn
  label(cell: number): string;
  pick(cell: number): void;
  hover?(cell: number | null): void; // also the aim of a finger
  playable?(cell: number): boolean;
  aim?: boolean; // small cells: a finger aims and plays where it is lifted
  drag?(from: number, to: number): void;
}

export function Cells(p: CellsProps) {
  const n = p.cols * p.rows;
  const turned = (i: number) => (p.flip ? n - 1 - i : i);
  const ref = useRef<SVGGElement>(null);
  const focus = useRef(Math.floor(p.rows / 2) * p.cols + Math.floor(p.cols / 2));
  const down = useRef<{ cell: number; touch: boolean } | null>(null);
  const aimed = useRef<number | null>(null);

  const at = (e: PointerEvent): number | null => {
    const svg = ref.current?.ownerSVGElement;
    const m = svg?.getScreenCTM();
    if (!m) return null;
    const q = new DOMPoint(e.clientX, e.clientY).matrixTransform(m.inverse());
    const c = Math.floor((q.x - p.x) / p.size);
    const r = Math.floor((q.y - p.y) / p.size);
    return c < 0 || r < 0 || c >= p.cols || r >= p.rows ? null : turned(r * p.cols + c);
  };
  const element = (seen: number) => ref.current?.querySelector<SVGElement>(`[data-seen="${seen}"]`);

  const key = (e: KeyboardEvent) => {
    const seen = Number((e.target as SVGElement).dataset.seen);
    if (Number.isNaN(seen) || e.ctrlKey || e.metaKey || e.altKey) return;
    const r = Math.floor(seen / p.cols);
    const c = seen % p.cols;
    const go: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -c], End: [0, p.cols - 1 - c] };
    const d = go[e.key];
    if (d) {
      const rr = Math.min(p.rows - 1, Math.max(0, r + d[0]));
      const cc = Math.min(p.cols - 1, Math.max(0, c + d[1]));
      element(rr * p.cols + cc)?.focus();
    } else if (e.key === 'Enter' || e.key === ' ') p.pick(turned(seen));
    else return;
    e.preventDefault();
    e.stopPropagation();
  };

  const up = (e: PointerEvent) => {
    const d = down.current;
    down.current = null;
    if (!d || e.button > 0) return;
    const cell = at(e);
    if (d.touch) p.hover?.(null);
    if (cell === null) return;
    if (cell !== d.cell && !(d.touch && p.aim)) return p.drag?.(d.cell, cell);
    if (d.touch && settings.value.confirm && aimed.current !== cell && p.playable?.(cell) !== false) {
      aimed.current = cell;
      return p.hover?.(cell);
    }
    aimed.current = null;
    p.pick(cell);
  };

  const rows = [];
  for (let r = 0; r < p.rows; r++) {
    const cells = [];
    for (let c = 0; c < p.cols; c++) {
      const seen = r * p.cols + c;
      const cell = turned(seen);
      cells.push(
        <rect
          key={seen}
          role="gridcell"
          class={p.playable?.(cell) ? 'cell can' : 'cell'}
          data-seen={seen}
          x={p.x + c * p.size}
          y={p.y + r * p.size}
          width={p.size}
          height={p.size}
          tabindex={seen === focus.current ? 0 : -1}
          aria-label={p.label(cell)}
        />,
      );
    }
    rows.push(
      <g role="row" key={r}>
        {cells}
      </g>,
    );
  }
  return (
    <g
      role="rowgroup"
      tabindex={-1} // it listens to focus, which would make it a stop of its own
      ref={ref}
      class={p.aim ? 'cells aim' : 'cells'}
      onKeyDown={key}
      onFocusIn={(e) => {
        const seen = Number((e.target as SVGElement).dataset.seen);
        if (Number.isNaN(seen)) return;
        element(focus.current)?.setAttribute('tabindex', '-1');
        focus.current = seen;
        element(seen)?.setAttribute('tabindex', '0');
        if ((e.target as Element).matches(':focus-visible')) p.hover?.(turned(seen));
      }}
      onFocusOut={() => p.hover?.(null)}
      onPointerDown={(e) => {
        const cell = at(e);
        if (cell === null) return;
        const touch = e.pointerType !== 'mouse';
        down.current = { cell, touch };
        if (touch && p.aim) {
          (e.currentTarget as Element).setPointerCapture(e.pointerId);
          p.hover?.(cell);
        }
      }}
      onPointerMove={(e) => {
        if (e.pointerType === 'mouse' || down.current) p.hover?.(at(e));
      }}
      onPointerLeave={(e) => e.pointerType === 'mouse' && p.hover?.(null)}
      onPointerCancel={() => {
        down.current = null;
        p.hover?.(null);
      }}
      onPointerUp={up}
    >
      {rows}
    </g>
  );
}
