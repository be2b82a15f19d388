// A position made by hand: stones or discs on an empty board, and whose turn it is. The engine says whether it can be.
import { useSignal } from '@preact/signals';
import type { CellsView, ContrastView } from '../../engine/types';
import { Piece, Tile } from '../../games/contrast/board';
import { square } from '../../games/shared';
import { Cells } from '../../ui/cells';
import { Dialog } from '../../ui/dialog';
import { t, told } from '../../ui/i18n';
import type { Table } from './table';

export const editable = (table: Table): boolean => ['othello', 'stones', 'contrast'].includes(table.def.value.family);

interface EditorProps {
  table: Table;
  close(): void;
}

export const Editor = (p: EditorProps) => (p.table.def.value.family === 'contrast' ? <ContrastEditor {...p} /> : <CellsEditor {...p} />);

const next: Record<string, string> = { '.': 'X', X: 'O', O: '.' };

// The notation of each family: 64 signs and the side, or rows with counts of empty points.
function text(othello: boolean, cells: string[], n: number, side: number): string {
  if (othello) return `${cells.join('').replaceAll('.', '-')} ${side === 0 ? 'X' : 'O'}`;
  const rows = Array.from({ length: n }, (_, r) => cells.slice(r * n, r * n + n).join('').replace(/\.+/g, (e) => String(e.length)));
  return `${rows.join('/')} ${side === 0 ? 'b' : 'w'} -`;
}

function CellsEditor({ table, close }: EditorProps) {
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
      said.value = told(e);
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

// Contrast: what to place is chosen first. Tiles that are not on the board are in the hands, the first player's placed first.
type Brush = '1' | '2' | '.' | 'b' | 'g' | 'w';
const brushes: Brush[] = ['1', '2', '.', 'b', 'g', 'w'];

function contrastText(pieces: string[], tiles: string[], side: number): string {
  const rows = Array.from({ length: 5 }, (_, r) => pieces.slice(5 * r, 5 * r + 5).join(''));
  const put = tiles.flatMap((k, i) => (k === '.' ? [] : [`${square(i, 5, 5, false)}${k}`]));
  const count = (k: string) => tiles.filter((x) => x === k).length;
  const hand = (seat: number) => `${3 - Math.floor((count('b') + 1 - seat) / 2)}b${1 - Math.floor((count('g') + 1 - seat) / 2)}g`;
  return `${rows.join('/')} ${put.join(',') || '-'} ${hand(0)}/${hand(1)} ${side + 1}`;
}

function ContrastEditor({ table, close }: EditorProps) {
  const view = table.state.value!.view as ContrastView;
  const pieces = useSignal([...view.pieces]);
  const tiles = useSignal([...view.tiles]);
  const brush = useSignal<Brush>('1');
  const side = useSignal(table.session.value!.seat);
  const said = useSignal('');
  const names: Record<Brush, string> = { '1': t('side.one'), '2': t('side.two'), '.': t('edit.erase'), b: t('contrast.black'), g: t('contrast.gray'), w: t('contrast.noTile') };
  const paint = (i: number) => {
    const b = brush.value;
    if (b === '1' || b === '2' || b === '.') pieces.value = pieces.value.map((p, k) => (k === i ? (p === b ? '.' : b) : p));
    else tiles.value = tiles.value.map((p, k) => (k === i ? (b === 'w' ? '.' : b) : p));
  };
  const use = async () => {
    try {
      await table.setUp(contrastText(pieces.value, tiles.value, side.value));
      close();
    } catch (e) {
      said.value = told(e);
    }
  };
  return (
    <Dialog title={t('edit.title')} close={close}>
      <p class="mute sm">{t('edit.helpContrast')}</p>
      <div class="row brushes" role="radiogroup" aria-label={t('edit.title')}>
        {brushes.map((b) => (
          <button key={b} type="button" role="radio" class={brush.value === b ? 'tilebtn on' : 'tilebtn'} aria-checked={brush.value === b} aria-label={names[b]} title={names[b]} onClick={() => (brush.value = b)}>
            <svg viewBox="0 0 100 100" aria-hidden="true">{b === '1' || b === '2' ? <g transform="translate(50 50)"><Piece seat={Number(b) - 1} up={b === '1'} /></g> : b === '.' ? <path d="M28 28L72 72M72 28L28 72" stroke="var(--edge)" stroke-width="6" /> : <Tile kind={b === 'w' ? '.' : b} />}</svg>
          </button>
        ))}
      </div>
      <svg class="grid editgrid" viewBox="0 0 500 500" role="grid" aria-label={t('edit.title')}>
        <g aria-hidden="true">
          {tiles.value.map((k, i) => <g key={i} transform={`translate(${100 * (i % 5)} ${100 * Math.floor(i / 5)})`}><Tile kind={k} /></g>)}
          {pieces.value.map((p, i) => (p === '.' ? null : <g key={`p${i}`} transform={`translate(${100 * (i % 5) + 50} ${100 * Math.floor(i / 5) + 50})`}><Piece seat={p === '1' ? 0 : 1} up={p === '1'} /></g>))}
        </g>
        <Cells cols={5} rows={5} x={0} y={0} size={100} flip={false} playable={() => true} pick={paint} label={(i) => `${square(i, 5, 5, false)} ${pieces.value[i] === '.' ? t('board.empty') : names[pieces.value[i] as Brush]}`} />
      </svg>
      <div class="row wrap gap8">
        <label class="row nowrap">
          {t('edit.toMove')}
          <select class="select" value={side.value} onChange={(e) => (side.value = Number(e.currentTarget.value))}>
            <option value={0}>{t('side.one')}</option>
            <option value={1}>{t('side.two')}</option>
          </select>
        </label>
        <span class="sp" />
        <button type="button" class="ghost" onClick={() => { pieces.value = pieces.value.map(() => '.'); tiles.value = tiles.value.map(() => '.'); }}>{t('edit.clear')}</button>
        <button type="button" class="go" onClick={() => void use()}>{t('edit.use')}</button>
      </div>
      {said.value && <p class="error" role="alert">{said.value}</p>}
    </Dialog>
  );
}
