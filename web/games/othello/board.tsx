import { useSignal } from '@preact/signals';
import type { CellsView } from '../../engine/types';
import { Cells } from '../../ui/cells';
import { t } from '../../ui/i18n';
import { boardLabel, cellOf, numbered, scores, shown, square, type BoardProps } from '../shared';

const lines = Array.from({ length: 7 }, (_, i) => `M${(i + 1) * 100} 0V800M0 ${(i + 1) * 100}H800`).join('');
const letters = 'abcdefgh';

export function OthelloBoard({ table }: BoardProps) {
  const hover = useSignal<{ cell: number; at: number; flips: string | null } | null>(null);
  const s = table.session.value!;
  const view = shown<CellsView>(table);
  const preview = table.preview.value;
  const before = preview ? null : (table.before.value as CellsView | null);
  const flip = table.flip.value;
  const can = table.yourTurn.value && !preview;
  const legal = new Set(s.legal.map((m) => cellOf(m, 8, 8, true)));
  const score = scores(table);
  const numbers = numbered(table, false);
  const last = preview ? null : s.last;
  const hint = table.hint.value?.move;
  const seen = (cell: number) => (flip ? 63 - cell : cell);
  const x = (cell: number) => 50 + 100 * (seen(cell) % 8);
  const y = (cell: number) => 50 + 100 * Math.floor(seen(cell) / 8);
  const own = s.seat === 0 ? 'b' : 'w';
  const h = hover.value && hover.value.at === s.at ? hover.value : null;

  const look = (cell: number | null) => {
    if (cell === null || !can || !legal.has(cell)) return void (hover.value = null);
    if (h?.cell === cell) return;
    hover.value = { cell, at: s.at, flips: null };
    void table.look(square(cell, 8, 8, true)).then((a) => {
      if (hover.value?.cell === cell && hover.value.at === s.at) hover.value = { cell, at: s.at, flips: (a.view as CellsView).cells };
    }).catch(() => undefined); // the game has gone on meanwhile
  };
  const says = { X: t('side.black'), O: t('side.white'), '.': t('board.empty') } as Record<string, string>;

  return (
    <svg class="grid" viewBox="0 0 800 800" role="grid" aria-label={boardLabel(table)}>
      <g aria-hidden="true">
        <rect width="800" height="800" fill="var(--felt)" />
        <path stroke="var(--felt-line)" stroke-width="2" d={lines} />
        <g fill="var(--felt-line)">
          {[200, 600].flatMap((a) => [200, 600].map((b) => <circle key={`${a}${b}`} cx={a} cy={b} r="6" />))}
        </g>
        <g class="co" font-size="15" font-weight="600" fill="#fff" fill-opacity=".85">
          {[...letters].map((l, i) => (
            <>
              <text x={seen(56 + i) % 8 * 100 + 91} y="793" text-anchor="end">{l}</text>
              <text x="7" y={Math.floor(seen(8 * i) / 8) * 100 + 20}>{i + 1}</text>
            </>
          ))}
        </g>
        {[...view.cells].map((c, i) => {
          if (c === '.') return null;
          const was = before?.cells[i] ?? c;
          const to = c === 'X' ? 'b' : 'w';
          const motion = was === c ? '' : was === '.' ? ' drop' : ' turn';
          return (
            <g key={`${i}${c}`} transform={`translate(${x(i)} ${y(i)})`}>
              <circle r="41" class={`disc ${to}${motion}`} />
            </g>
          );
        })}
        {h?.flips && (
          <>
            <circle cx={x(h.cell)} cy={y(h.cell)} r="41" class={`disc ${own}`} opacity=".45" />
            {[...h.flips].map((c, i) => (view.cells[i] !== '.' && c !== view.cells[i] ? <circle key={i} cx={x(i)} cy={y(i)} r="22" class={`disc ${own}`} opacity=".75" /> : null))}
          </>
        )}
        {can &&
          [...legal].map((i) =>
            i < 0 || score.has(square(i, 8, 8, true)) || h?.cell === i ? null : <circle key={i} cx={x(i)} cy={y(i)} r="10" class={`dot-${own}`} />,
          )}
        {hint && cellOf(hint, 8, 8, true) >= 0 && <circle class="hint" cx={x(cellOf(hint, 8, 8, true))} cy={y(cellOf(hint, 8, 8, true))} r="41" />}
        {last && cellOf(last, 8, 8, true) >= 0 && <circle cx={x(cellOf(last, 8, 8, true))} cy={y(cellOf(last, 8, 8, true))} r="9" fill="#d8493f" />}
        <g font-size="24" font-weight="600" text-anchor="middle">
          {[...score].map(([move, v]) => {
            const i = cellOf(move, 8, 8, true);
            if (i < 0 || h?.cell === i) return null;
            return (
              <g key={move} transform={`translate(${x(i)} ${y(i)})`} class={`score${v.best ? ' best' : ''}${v.exact ? ' exact' : ''}`}>
                <rect x="-38" y="-22" width="76" height="44" rx="22" />
                <text y="8">{v.text}</text>
              </g>
            );
          })}
          {[...numbers].map(([move, n]) => {
            const i = cellOf(move, 8, 8, true);
            return i < 0 ? null : (
              <text key={n} x={x(i)} y={y(i) + 11} font-size="32" fill={view.cells[i] === 'X' ? '#fff' : '#17181a'}>{n}</text>
            );
          })}
        </g>
      </g>
      <Cells
        cols={8}
        rows={8}
        x={0}
        y={0}
        size={100}
        flip={flip}
        hover={look}
        playable={(i) => can && legal.has(i)}
        pick={(i) => {
          if (can && legal.has(i)) {
            hover.value = null;
            void table.play(square(i, 8, 8, true));
          }
        }}
        label={(i) => `${square(i, 8, 8, true)} ${says[view.cells[i]!]}${can && legal.has(i) ? `, ${t('board.legal')}` : ''}`}
      />
    </svg>
  );
}
