// A position made by hand: stones or discs on an empty board, and whose turn it is. The engine says whether it can be.
import { useSignal } from '@preact/signals';
import type { CellsView } from '../../engine/types';
import { square } from '../../games/shared';
import { Cells } from '../../ui/cells';
import { Dialog } from '../../ui/dialog';
import { t } from '../../ui/i18n';
import type { Table } from './table';

export const editable = (table: Table): boolean => ['othello', 'stones'].includes(table.def.value.family);

const next: Record<string, string> = { '.': 'X', X: 'O', O: '.' };

// The notation of each family: 64 signs and the side, or rows with counts of empty points.
function text(othello: boolean, cells: string[], n: number, side: number): string {
  if (othello) return `${cells.join('').replaceAll('.', '-')} ${side === 0 ? 'X' : 'O'}`;
  const rows = Array.from({ length: n }, (_, r) => cells.slice(r * n, r * n + n).join('').replace(/\.+/g, (e) => String(e.length)));
  return `${rows.join('/')} ${side === 0 ? 'b' : 'w'} -`;
}

export function Editor({ table, close }: { table: Table; close(): void }) {
  const view = table.state.value!.view as CellsView;
  const othello = table.def.value.family === 'othello';
  const n = view.size ?? 8;
  const cells = useSignal([...view.cells]);
  const side = useSignal(table.session.value!.seat);
  const said = useSignal('');
  const use = async () => {
    try {
      await table.setUp(text(othello, cells.value, n, side.value));
      close();
    } catch (e) {
      said.value = (e as Error).message;
    }
  };
  const lines = Array.from({ length: n + 1 }, (_, i) => `M${i * 10} 0V${n * 10}M0 ${i * 10}H${n * 10}`).join('');
  const says = { X: t('side.black'), O: t('side.white'), '.': t('board.empty') } as Record<string, string>;
  return (
    <Dialog title={t('edit.title')} close={close}>
      <p class="mute sm">{t('edit.help')}</p>
      <svg class="grid editgrid" viewBox={`0 0 ${n * 10} ${n * 10}`} role="grid" aria-label={t('edit.title')}>
        <g aria-hidden="true">
          <rect width={n * 10} height={n * 10} fill={othello ? 'var(--felt)' : 'var(--wood)'} />
          <path d={lines} stroke={othello ? 'var(--felt-line)' : 'var(--wood-line)'} stroke-width=".3" opacity=".8" />
          {cells.value.map((c, i) => (c === '.' ? null : <circle key={i} cx={(i % n) * 10 + 5} cy={Math.floor(i / n) * 10 + 5} r="4.2" class={`disc ${c === 'X' ? 'b' : 'w'}`} />))}
        </g>
        <Cells
          cols={n}
          rows={n}
          x={0}
          y={0}
          size={10}
          flip={false}
          playable={() => true}
          pick={(i) => (cells.value = cells.value.map((c, k) => (k === i ? next[c]! : c)))}
          label={(i) => `${square(i, n, n, othello)} ${says[cells.value[i]!]}`}
        />
      </svg>
      <div class="row wrap gap8">
        <label class="row nowrap">
          {t('edit.toMove')}
          <select class="select" value={side.value} onChange={(e) => (side.value = Number(e.currentTarget.value))}>
            <option value={0}>{t('side.black')}</option>
            <option value={1}>{t('side.white')}</option>
          </select>
        </label>
        <span class="sp" />
        <button type="button" class="ghost" onClick={() => (cells.value = cells.value.map(() => '.'))}>{t('edit.clear')}</button>
        <button type="button" class="go" onClick={() => void use()}>{t('edit.use')}</button>
      </div>
      {said.value && <p class="error" role="alert">{said.value}</p>}
    </Dialog>
  );
}
