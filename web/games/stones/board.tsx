// Renju and gomoku: stones on the points of a wooden board. A finger aims with a magnifier and plays where it is lifted.
import { useSignal } from '@preact/signals';
import type { CellsView } from '../../engine/types';
import { Cells } from '../../ui/cells';
import { t } from '../../ui/i18n';
import { settings } from '../../ui/settings';
import { boardLabel, cellOf, numbered, scores, shown, square, type BoardProps } from '../shared';

const kinds = { '3x3': '3×3', '4x4': '4×4', overline: '6' } as const;

export function StonesBoard({ table }: BoardProps) {
  const aim = useSignal<{ cell: number; finger: boolean } | null>(null);
  const s = table.session.value!;
  const view = shown<CellsView>(table);
  const n = view.size ?? 15;
  const preview = table.preview.value;
  const before = preview ? null : (table.before.value as CellsView | null);
  const flip = table.flip.value;
  const can = table.yourTurn.value && !preview;
  const score = scores(table, 4);
  const numbers = numbered(table, settings.value.numbers);
  const w = 50 * (n + 1);
  const turned = (i: number) => (flip ? n * n - 1 - i : i);
  const x = (i: number) => 50 + 50 * (turned(i) % n);
  const y = (i: number) => 50 + 50 * Math.floor(turned(i) / n);
  const name = (i: number) => square(i, n, n, false);
  const cell = (m: string) => cellOf(m, n, n, false);
  const last = preview ? null : s.last;
  const hint = table.hint.value?.move;
  const own = s.seat === 0 ? 'b' : 'w';
  const a = aim.value && can && view.cells[aim.value.cell] === '.' ? aim.value : null;
  const fouls = new Map((preview ? [] : (view.forbidden ?? [])).map((f) => [cell(f.at), f.kind]));
  const star = n === 15 ? [3, 7, 11] : n === 20 ? [4, 9, 14] : [];
  const says = { X: t('side.black'), O: t('side.white'), '.': t('board.empty') } as Record<string, string>;
  const grid = Array.from({ length: n }, (_, i) => `M${50 * (i + 1)} 50V${50 * n}M50 ${50 * (i + 1)}H${50 * n}`).join('');

  const art = (
    <g aria-hidden="true" id="art">
      <rect width={w} height={w} fill="var(--wood)" />
      <path stroke="var(--wood-line)" stroke-width="1.2" d={grid} />
      <g fill="var(--wood-line)">
        {star.flatMap((r) => star.map((c) => (n === 15 && (r === 7) !== (c === 7) ? null : <circle key={r * n + c} cx={50 * (c + 1)} cy={50 * (r + 1)} r="5" />)))}
      </g>
      <g class="co wood" font-size="14" text-anchor="middle">
        {Array.from({ length: n }, (_, i) => (
          <>
            <text x={x((n - 1) * n + i)} y={w - 10}>{String.fromCharCode(97 + i)}</text>
            <text x="15" y={y(i * n) + 5}>{n - i}</text>
          </>
        ))}
      </g>
      <g font-size="18" font-weight="600" text-anchor="middle">
        {[...view.cells].map((c, i) =>
          c === '.' ? null : (
            <g key={`${i}${c}`} transform={`translate(${x(i)} ${y(i)})`}>
              <circle r="23" class={`stone ${c === 'X' ? 'b' : 'w'}${before && before.cells[i] === '.' ? ' drop' : ''}`} />
              {numbers.has(name(i)) && <text y="6" class="st" fill={c === 'X' ? '#f7f5f0' : '#17181a'}>{numbers.get(name(i))}</text>}
            </g>
          ),
        )}
        {[...fouls].map(([i, kind]) => (
          <g key={i} transform={`translate(${x(i)} ${y(i)})`} class="foul">
            <circle r="19" />
            <text y="5" class="fb" font-size={kind === 'overline' ? 17 : 14}>{kinds[kind]}</text>
          </g>
        ))}
        {hint && cell(hint) >= 0 && <circle class="hint" cx={x(cell(hint))} cy={y(cell(hint))} r="22" />}
        {last && cell(last) >= 0 && <circle cx={x(cell(last))} cy={y(cell(last))} r={settings.value.numbers ? 26 : 7} fill={settings.value.numbers ? 'none' : '#d8493f'} stroke="#d8493f" stroke-width="3" />}
        {[...score].map(([move, v]) => {
          const i = cell(move);
          return i < 0 || a?.cell === i ? null : (
            <g key={move} transform={`translate(${x(i)} ${y(i)})`} class={`score wood${v.best ? ' best' : ''}${v.exact ? ' exact' : ''}`}>
              <rect x="-22" y="-15" width="44" height="30" rx="15" />
              <text y="6" class="ca" font-size="16">{v.text}</text>
            </g>
          );
        })}
        {a && !fouls.has(a.cell) && <circle cx={x(a.cell)} cy={y(a.cell)} r="23" class={`stone ${own}`} opacity=".55" />}
      </g>
    </g>
  );
  const lens = a?.finger ? { x: x(a.cell), y: y(a.cell), top: y(a.cell) > 300 } : null;
  return (
    <svg class="grid" viewBox={`0 0 ${w} ${w}`} role="grid" aria-label={boardLabel(table)}>
      {art}
      {lens && (
        <g aria-hidden="true" class="lens" transform={`translate(${Math.min(w - 150, Math.max(150, lens.x))} ${lens.top ? lens.y - 220 : lens.y + 220})`}>
          <clipPath id="lens"><circle r="120" /></clipPath>
          <g clip-path="url(#lens)">
            <use href="#art" transform={`scale(2) translate(${-lens.x} ${-lens.y})`} />
            <path d="M-120 0H-52M52 0H120M0-120V-52M0 52V120" stroke="#b3301f" stroke-width="2" />
          </g>
          <circle r="120" fill="none" stroke="var(--wood-line)" stroke-width="4" />
        </g>
      )}
      <Cells
        cols={n}
        rows={n}
        x={25}
        y={25}
        size={50}
        flip={flip}
        aim
        hover={(i) => (aim.value = i === null ? null : { cell: i, finger: matchMedia('(pointer: coarse)').matches })}
        playable={(i) => can && view.cells[i] === '.'}
        pick={(i) => {
          aim.value = null;
          if (can && view.cells[i] === '.') void table.play(name(i));
        }}
        label={(i) => {
          const foul = fouls.get(i);
          return `${name(i)} ${says[view.cells[i]!]}${foul ? `, ${t(`renju.${foul}`)}` : ''}`;
        }}
      />
    </svg>
  );
}

// For the panel: the opening rule swap2, step by step.
export function SwapSteps({ table }: BoardProps) {
  const s = table.swapping.value;
  if (!s) return null;
  const mine = table.turnOf.value === 'human';
  const who = table.swapper(s.player);
  const pick = (choice: string, text: string) => <button type="button" class="ghost fill" data-swap={choice} onClick={() => void table.choose(choice)}>{text}</button>;
  return (
    <section class="steps">
      <div class="row"><span class="chip on">swap2</span><span>{t(s.step === 'put' ? 'swap.put' : 'swap.choose', { who, n: s.left })}</span></div>
      <div class="row gap8">
        {mine && s.step === 'choose' ? (
          <>
            {pick('black', t('side.black'))}
            {pick('white', t('side.white'))}
            {s.two && pick('two', t('swap.two'))}
          </>
        ) : (
          <span class="mute fill line40">{mine ? t('swap.next', { side: table.side(table.session.value!.seat) }) : t('who.thinking')}</span>
        )}
      </div>
    </section>
  );
}

// For the panel: where Black must not play.
export function Fouls({ table }: BoardProps) {
  const view = table.state.value!.view as CellsView;
  const all = view.forbidden ?? [];
  return (
    <section data-tab="game" class="fouls">
      <div class="row wrap">
        <h2>{t('renju.forbidden')}</h2>
        {all.length === 0 && <span class="mute sm">{t('renju.nothing')}</span>}
        {all.slice(0, 8).map((f) => (
          <span key={f.at} class="chip" title={t(`renju.${f.kind}.why`)}>
            <b>{f.at}</b> {t(`renju.${f.kind}`)}
          </span>
        ))}
      </div>
    </section>
  );
}
