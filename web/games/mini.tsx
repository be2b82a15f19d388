// A small picture of any game's board, for replays and lists: nothing to click.
import type { CellsView, ContrastView, PuyoView, State } from '../engine/types';
import { Piece, Tile } from './contrast/board';
import { cellOf } from './shared';

const rules = (n: number, from: number, to: number) => Array.from({ length: n }, (_, i) => `M${from + i * 10} ${from}V${to}M${from} ${from + i * 10}H${to}`).join('');

function Othello({ view, last }: { view: CellsView; last: string | null }) {
  const at = last ? cellOf(last, 8, 8, true) : -1;
  return (
    <svg class="mini" viewBox="0 0 80 80">
      <rect width="80" height="80" fill="var(--felt)" />
      <path d={rules(9, 0, 80)} stroke="var(--felt-line)" stroke-width=".5" />
      {[...view.cells].map((c, i) => (c === '.' ? null : <circle key={i} cx={(i % 8) * 10 + 5} cy={Math.floor(i / 8) * 10 + 5} r="4.1" class={`disc ${c === 'X' ? 'b' : 'w'}`} />))}
      {at >= 0 && <circle cx={(at % 8) * 10 + 5} cy={Math.floor(at / 8) * 10 + 5} r="1.2" fill="#d8493f" />}
    </svg>
  );
}

function Stones({ view, last }: { view: CellsView; last: string | null }) {
  const n = view.size ?? 15;
  const w = n * 10 + 10;
  const at = last ? cellOf(last, n, n, false) : -1;
  return (
    <svg class="mini" viewBox={`0 0 ${w} ${w}`}>
      <rect width={w} height={w} fill="var(--wood)" />
      <path d={rules(n, 10, n * 10)} stroke="var(--wood-line)" stroke-width=".5" />
      {[...view.cells].map((c, i) => (c === '.' ? null : <circle key={i} cx={(i % n) * 10 + 10} cy={Math.floor(i / n) * 10 + 10} r="4.6" class={`stone ${c === 'X' ? 'b' : 'w'}`} stroke-width=".3" />))}
      {at >= 0 && <circle cx={(at % n) * 10 + 10} cy={Math.floor(at / n) * 10 + 10} r="1.6" fill="#d8493f" />}
    </svg>
  );
}

function Contrast({ view }: { view: ContrastView }) {
  return (
    <svg class="mini" viewBox="-4 -4 508 508">
      <rect x="-4" y="-4" width="508" height="508" fill="var(--sunk)" />
      {[...view.tiles].map((k, i) => <g key={i} transform={`translate(${100 * (i % 5)} ${100 * Math.floor(i / 5)})`}><Tile kind={k} /></g>)}
      {[...view.pieces].map((p, i) => (p === '.' ? null : <g key={`p${i}`} transform={`translate(${100 * (i % 5) + 50} ${100 * Math.floor(i / 5) + 50})`}><Piece seat={p === '1' ? 0 : 1} up={p === '1'} /></g>))}
    </svg>
  );
}

function TicTacToe({ view }: { view: CellsView }) {
  return (
    <svg class="mini" viewBox="0 0 600 600">
      <rect width="600" height="600" fill="var(--sunk)" />
      <path d="M200 24V576M400 24V576M24 200H576M24 400H576" stroke="var(--edge)" stroke-width="6" stroke-linecap="round" />
      {[...view.cells].map((c, i) => (c === '.' ? null : <g key={i} transform={`translate(${100 + 200 * (i % 3)} ${100 + 200 * Math.floor(i / 3)})`}>{c === 'X' ? <path d="M-52-52L52 52M52-52L-52 52" class="mark x" /> : <circle r="58" class="mark o" />}</g>))}
    </svg>
  );
}

const colours: Record<string, string> = { R: 'var(--pr)', G: 'var(--pg)', B: 'var(--pb)', Y: 'var(--py)', P: 'var(--pp)', O: 'var(--po)' };

function Puyo({ view }: { view: PuyoView }) {
  return (
    <svg class="mini" viewBox={`0 0 ${view.sides.length * 70 - 10} 130`}>
      {view.sides.map((s, k) => (
        <g key={k} transform={`translate(${70 * k} 0)`}>
          <rect width="60" height="130" rx="3" fill="var(--sunk)" />
          {s.field.split('/').reverse().flatMap((row, r) => [...row].map((c, i) => (colours[c] && r < 13 ? <circle key={`${r}${i}`} cx={10 * i + 5} cy={125 - 10 * r} r="4.6" fill={colours[c]} /> : null)))}
        </g>
      ))}
    </svg>
  );
}

export function Mini({ state, label }: { state: State | null; label: string }) {
  if (!state) return <div class="mini" role="img" aria-label={label} />;
  const { view, session } = state;
  const drawn =
    'sides' in view ? <Puyo view={view} /> : 'pieces' in view ? <Contrast view={view} /> : session.game === 'othello' ? <Othello view={view} last={session.last} /> : session.game === 'tictactoe' ? <TicTacToe view={view} /> : <Stones view={view} last={session.last} />;
  return <div class="minibox" role="img" aria-label={label}>{drawn}</div>;
}
