import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ContrastView } from '../../engine/types';
import { Cells } from '../../ui/cells';
import { t } from '../../ui/i18n';
import { boardLabel, scores, shown, square, cellOf, type BoardProps, type Score } from '../shared';
import { aim, choices, choose, confirm, half, notation, pick, takeBack } from './half';

export const Tile = ({ kind }: { kind: string }) => (
  <g>
    <rect x="2" y="2" width="96" height="96" rx="8" class={`tile tile-${kind === '.' ? 'w' : kind}`} />
    <path transform="translate(50 50) scale(2.78)" class={`ways ways-${kind === '.' ? 'w' : kind}`} d={kind === 'b' ? 'M-7-7L7 7M7-7L-7 7' : kind === 'g' ? 'M0-9V9M-9 0H9M-7-7L7 7M7-7L-7 7' : 'M0-9V9M-9 0H9'} />
  </g>
);

export const Piece = ({ seat, up }: { seat: number; up: boolean }) => (
  <g>
    <circle r="30" fill={`var(--p${seat + 1})`} stroke="#fff" stroke-width="3" />
    <path d={up ? 'M-11.4 6L0-7.5L11.4 6' : 'M-11.4-6L0 7.5L11.4-6'} fill="none" stroke="#fff" stroke-width="5" stroke-linecap="round" stroke-linejoin="round" />
  </g>
);

export function ContrastBoard({ table }: BoardProps) {
  const hover = useSignal<number | null>(null);
  const s = table.session.value!;
  const view = shown<ContrastView>(table);
  const preview = table.preview.value;
  const flip = table.flip.value;
  const h = half(table);
  const c = choices(table);
  const turned = (i: number) => (flip ? 24 - i : i);
  const x = (i: number) => 100 * (turned(i) % 5);
  const y = (i: number) => 100 * Math.floor(turned(i) / 5);
  const name = (i: number) => square(i, 5, 5, false);
  const cell = (m: string) => cellOf(m, 5, 5, false);
  const before = preview ? null : (table.before.value as ContrastView | null);
  const score = scores(table, 5);
  const firsts = new Map<string, Score>(); // best score by target of the move, for the piece chosen
  for (const [m, v] of score) {
    const to = m.slice(3, 5);
    if ((!h.from || m.startsWith(h.from)) && !h.to && !firsts.has(to)) firsts.set(to, v);
  }
  const hint = table.hint.value?.move;
  const last = preview ? null : s.last;
  const arrow = (move: string, cls: string) => {
    const [a, b] = [cell(move.slice(0, 2)), cell(move.slice(3, 5))];
    if (a < 0 || b < 0) return null;
    return (
      <g class={cls}>
        <path d={`M${x(a) + 50} ${y(a) + 50}L${x(b) + 50} ${y(b) + 50}`} />
        <circle cx={x(a) + 50} cy={y(a) + 50} r="7" />
      </g>
    );
  };

  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).closest('input,textarea,select,dialog')) return;
      if (e.key === 'Escape') return void takeBack(table);
      if (!half(table).to) return;
      if (e.key === 'b' || e.key === 'g') choose(table, e.key);
      else if (e.key === 'n') confirm(table, false);
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, [table]);

  const pieces = [...view.pieces];
  const half0 = h.from && h.to ? { from: cell(h.from), to: cell(h.to) } : null;
  return (
    <svg class="grid" viewBox="-4 -4 508 508" role="grid" aria-label={boardLabel(table)}>
      <g aria-hidden="true">
        <rect x="-4" y="-4" width="508" height="508" fill="var(--sunk)" />
        {[...view.tiles].map((k, i) => (
          <g key={i} transform={`translate(${x(i)} ${y(i)})`}>
            <g class={before && before.tiles[i] === '.' && k !== '.' ? 'drop at50' : ''}>
              <Tile kind={k} />
            </g>
          </g>
        ))}
        <g class="co" font-size="11" font-weight="600" fill="#6d6a62">
          {Array.from({ length: 5 }, (_, i) => (
            <>
              <text x={x(20 + i) + 92} y="494" text-anchor="end">{'abcde'[i]}</text>
              <text x="8" y={y(5 * i) + 16}>{5 - i}</text>
            </>
          ))}
        </g>
        {last && arrow(last, 'trail')}
        {h.from && <rect x={x(cell(h.from)) + 3} y={y(cell(h.from)) + 3} width="94" height="94" rx="7" class="chosen" />}
        {half0 && <path d={`M${x(half0.from) + 50} ${y(half0.from) + 50}L${x(half0.to) + 50} ${y(half0.to) + 50}`} stroke={`var(--p${s.seat + 1})`} stroke-width="3" />}
        {pieces.map((p, i) => {
          if (p === '.') return null;
          const seat = p === '1' ? 0 : 1;
          const at = half0 && i === half0.from ? half0.to : i;
          const moved = before && before.pieces[i] === '.' ? ' drop' : '';
          return (
            <g key={`${p}${at}`} transform={`translate(${x(at) + 50} ${y(at) + 50})`}>
              <g class={moved}><Piece seat={seat} up={(seat === 0) !== flip} /></g>
            </g>
          );
        })}
        {half0 && <circle cx={x(half0.from) + 50} cy={y(half0.from) + 50} r="30" fill="none" stroke={`var(--p${s.seat + 1})`} stroke-width="2" stroke-dasharray="5 5" />}
        {h.tile && (
          <g transform={`translate(${x(cell(h.tile))} ${y(cell(h.tile))})`}>
            <g opacity=".9"><Tile kind={h.colour} /></g>
            <rect x="2" y="2" width="96" height="96" rx="8" class="slot" />
          </g>
        )}
        {(h.to ? [...c.tiles] : [...c.targets]).filter((m) => m !== h.tile).map((m) => (
          <circle key={m} cx={x(cell(m)) + 50} cy={y(cell(m)) + 50} r={hover.value === cell(m) ? 11 : 7} class={h.to ? 'spot tilespot' : 'spot'} />
        ))}
        {!h.from && [...c.pieces].map((m) => <circle key={m} cx={x(cell(m)) + 50} cy={y(cell(m)) + 50} r="36" class="movable" />)}
        {hint && arrow(hint, 'arrow')}
        {preview && preview.moves[0] && arrow(preview.moves[0], 'arrow')}
        <g text-anchor="middle" font-size="15" font-weight="600">
          {[...firsts].map(([to, v]) => (
            <g key={to} transform={`translate(${x(cell(to)) + 50} ${y(cell(to)) + 82})`} class={`score plain${v.best ? ' best' : ''}${v.exact ? ' exact' : ''}`}>
              <rect x="-24" y="-13" width="48" height="24" rx="12" />
              <text y="5">{v.text} %</text>
            </g>
          ))}
        </g>
      </g>
      <Cells
        cols={5}
        rows={5}
        x={0}
        y={0}
        size={100}
        flip={flip}
        hover={(i) => (hover.value = i)}
        playable={(i) => (h.to ? c.tiles.has(name(i)) : c.targets.has(name(i)) || c.pieces.has(name(i)))}
        pick={(i) => pick(table, name(i))}
        drag={(a, b) => c.pieces.has(name(a)) && aim(table, name(a), name(b))}
        label={(i) => {
          const p = view.pieces[i] === '.' ? t('board.empty') : table.side(view.pieces[i] === '1' ? 0 : 1);
          const tile = view.tiles[i] === 'b' ? `, ${t('contrast.black')}` : view.tiles[i] === 'g' ? `, ${t('contrast.gray')}` : '';
          return `${name(i)} ${p}${tile}`;
        }}
      />
    </svg>
  );
}

const hand = (view: ContrastView, seat: number): ('b' | 'g')[] => {
  const [b, g] = view.hands[seat]!;
  return [...Array<'b'>(b).fill('b'), ...Array<'g'>(g).fill('g')];
};

// The tiles a side holds; while a move is half made, the mover's can be chosen.
export function Hand({ table, seat }: BoardProps & { seat: number }) {
  const view = shown<ContrastView>(table);
  const h = half(table);
  const c = choices(table);
  const active = h.to !== null && seat === table.session.value!.seat;
  let taken = h.tile === null;
  return (
    <span class="hand" role={active ? 'radiogroup' : 'img'} aria-label={`${t('contrast.hand')}: ${view.hands[seat]![0]} ${t('contrast.black')}, ${view.hands[seat]![1]} ${t('contrast.gray')}`}>
      {hand(view, seat).map((k, i) => {
        const inUse = active && !taken && k === h.colour;
        if (inUse) taken = true;
        const art = (
          <svg viewBox="0 0 100 100" aria-hidden="true">
            {inUse ? <rect x="5" y="5" width="90" height="90" rx="10" class="slot thin" /> : <Tile kind={k} />}
          </svg>
        );
        return active ? (
          <button key={i} type="button" role="radio" aria-checked={k === h.colour} class={k === h.colour ? 'tilebtn on' : 'tilebtn'} disabled={!c.colours.has(k)} aria-label={t(k === 'b' ? 'contrast.black' : 'contrast.gray')} onClick={() => choose(table, k)}>
            {art}
          </button>
        ) : (
          <span key={i} class="tilebtn">{art}</span>
        );
      })}
    </span>
  );
}

// The move being made, step by step, and its buttons.
export function Steps({ table }: BoardProps) {
  const h = half(table);
  const view = shown<ContrastView>(table);
  const mine = table.yourTurn.value;
  const step = !h.from ? 'contrast.piece' : !h.to ? 'contrast.target' : 'contrast.tile';
  return (
    <section class="steps">
      <div class="row">
        <span class={h.to ? 'chip' : 'chip on'}>1</span>
        <span>{t('contrast.move')}</span>
        <b>{h.from ? `${h.from} → ${h.to ?? '…'}` : '–'}</b>
        <span class="sp" />
        <span class={h.to ? 'chip on' : 'chip'}>2</span>
        <span>{t('contrast.put')}</span>
        <b>{h.tile ? `${h.tile} ${t(h.colour === 'b' ? 'contrast.blackOf' : 'contrast.grayOf')}` : '–'}</b>
      </div>
      <div class="row gap8">
        {h.to ? (
          <>
            <button type="button" class="go fill" disabled={!h.tile} onClick={() => confirm(table)}>
              {h.tile ? `${t('act.confirm')} ${notation(h)}` : t('act.confirm')}
            </button>
            <button type="button" class="ghost" onClick={() => confirm(table, false)}>{t('contrast.noTile')}</button>
            <button type="button" class="ghost" onClick={() => takeBack(table)}>{t('act.cancel')}</button>
          </>
        ) : (
          <span class="mute fill line40">{mine ? t(step) : t('contrast.plies', { n: table.session.value!.ply, all: view.plies })}</span>
        )}
      </div>
    </section>
  );
}
