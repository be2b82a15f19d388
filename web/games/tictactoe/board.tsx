import { useSignal } from '@preact/signals';
import type { CellsView } from '../../engine/types';
import { Cells } from '../../ui/cells';
import { t } from '../../ui/i18n';
import { boardLabel, cellOf, numbered, scores, shown, square, type BoardProps } from '../shared';

export function TicTacToeBoard({ table }: BoardProps) {
  const hover = useSignal<number | null>(null);
  const s = table.session.value!;
  const view = shown<CellsView>(table);
  const preview = table.preview.value;
  const before = preview ? null : (table.before.value as CellsView | null);
  const can = table.yourTurn.value && !preview;
  const flip = table.flip.value;
  const turned = (i: number) => (flip ? 8 - i : i);
  const at = (i: number) => `translate(${100 + 200 * (turned(i) % 3)} ${100 + 200 * Math.floor(turned(i) / 3)})`;
  const name = (i: number) => square(i, 3, 3, false);
  const score = scores(table);
  const numbers = numbered(table, false);
  const hint = table.hint.value?.move;
  const says = { X: 'X', O: 'O', '.': t('board.empty') } as Record<string, string>;
  const Mark = ({ who }: { who: string }) =>
    who === 'X' ? <path d="M-52-52L52 52M52-52L-52 52" class="mark x" /> : <circle r="58" class="mark o" />;
  return (
    <svg class="grid" viewBox="0 0 600 600" role="grid" aria-label={boardLabel(table)}>
      <g aria-hidden="true">
        <rect width="600" height="600" fill="var(--surface)" />
        <path d="M200 24V576M400 24V576M24 200H576M24 400H576" stroke="var(--edge)" stroke-width="4" stroke-linecap="round" />
        {[...view.cells].map((c, i) => (
          <g key={i} transform={at(i)}>
            {c !== '.' && <g class={before && before.cells[i] === '.' ? 'drop' : ''}><Mark who={c} /></g>}
            {c === '.' && can && hover.value === i && <g opacity=".3"><Mark who={s.seat === 0 ? 'X' : 'O'} /></g>}
            {c !== '.' && !preview && s.last === name(i) && <circle r="8" fill="#d8493f" />}
            {hint === name(i) && <circle r="78" class="hint" />}
            {numbers.has(name(i)) && <text y="94" text-anchor="middle" font-size="24" class="mutefill">{numbers.get(name(i))}</text>}
          </g>
        ))}
        <g text-anchor="middle" font-size="28" font-weight="600">
          {[...score].map(([m, v]) => (
            <g key={m} transform={at(cellOf(m, 3, 3, false))} class={`score plain${v.best ? ' best' : ''}${v.exact ? ' exact' : ''}`}>
              <rect x="-44" y="-25" width="88" height="50" rx="25" />
              <text y="10">{v.text}</text>
            </g>
          ))}
        </g>
      </g>
      <Cells
        cols={3}
        rows={3}
        x={0}
        y={0}
        size={200}
        flip={flip}
        hover={(i) => (hover.value = i)}
        playable={(i) => can && view.cells[i] === '.'}
        pick={(i) => {
          if (can && view.cells[i] === '.') void table.play(name(i));
        }}
        label={(i) => `${name(i)} ${says[view.cells[i]!]}`}
      />
    </svg>
  );
}
