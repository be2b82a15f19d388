// A game as it is stored and shared. A game is its setup and a tree of moves; everything else follows by the rules.
import type { Session, Setup } from '../../engine/types';
import type { Args } from '../../engine/wasm';
import { setupArgs } from '../../engine/engine';
import { store, stored } from '../../ui/settings';

// parent (index in the list), move, mark, [value, margin, depth, nodes]
type Row = [number, string, string?, (number | null)[]?];

export interface Saved {
  v: 1;
  setup: Setup;
  seats: [string, string];
  level: number;
  flip: boolean;
  at: number; // index in the list
  rows: Row[]; // without the start
  start?: (number | null)[]; // what is thought of the start
  end?: { how: 'resign' | 'flag'; seat: number; at: number }; // where the rules did not end it
  clock?: Clock;
  begun?: number; // when the game was opened: tells games apart
  time?: number; // of the last change
  id?: string; // its session on the server, which keeps it
  score?: number[]; // of a finished game
  swap?: string; // opened by swap2: the choices made so far
}

export interface Clock {
  main: number; // seconds
  bonus: number; // seconds after each move
  left: [number, number];
}

const opinion = (n: Session['nodes'][number]): (number | null)[] | undefined =>
  n.value === undefined ? undefined : [n.value, n.margin ?? null, n.depth ?? 0, n.nodes ?? 0];

export function setupOf(s: Session): Setup {
  return { game: s.game, options: s.options, position: s.position || null, seed: BigInt(`0x${s.key.run}`).toString() };
}

export function saved(s: Session, more: Pick<Saved, 'seats' | 'level' | 'flip' | 'end' | 'clock' | 'begun' | 'id' | 'swap'>): Saved {
  const index = new Map(s.nodes.map((n, i) => [n.id, i]));
  const rows = s.nodes.slice(1).map((n): Row => {
    const row: Row = [index.get(n.parent ?? 0) ?? 0, n.move ?? ''];
    const o = opinion(n);
    if (n.mark || o) row[2] = n.mark ?? '';
    if (o) row[3] = o;
    return row;
  });
  const start = opinion(s.nodes[0]!);
  const score = s.result && s.result.end !== 'none' ? { score: s.result.score } : {};
  return { v: 1, setup: setupOf(s), ...more, at: index.get(s.at) ?? 0, rows, time: Date.now(), ...score, ...(start ? { start } : {}) };
}

// The calls that bring a stored game back. Nodes get their numbers in the order they are made: from 0, the start.
export function restoring(g: Saved): { verb: string; args: Args }[] {
  const calls: { verb: string; args: Args }[] = [{ verb: 'new', args: { ...setupArgs({ setup: g.setup, moves: [] }), quiet: 1 } }];
  const note = (node: number, mark?: string, o?: (number | null)[]) => {
    if (!mark && !o) return;
    const [value, margin, depth, nodes] = o ?? [];
    calls.push({ verb: 'note', args: { node, quiet: 1, mark: mark || undefined, value: value ?? undefined, margin: margin ?? undefined, depth: depth ?? undefined, nodes: nodes ?? undefined } });
  };
  note(0, '', g.start);
  g.rows.forEach(([parent, move, mark, o], i) => {
    if (parent !== i) calls.push({ verb: 'goto', args: { node: parent, quiet: 1 } });
    calls.push({ verb: 'play', args: { move, quiet: 1 } });
    note(i + 1, mark, o);
  });
  if (g.end) calls.push({ verb: 'goto', args: { node: g.end.at, quiet: 1 } }, { verb: g.end.how, args: { seat: g.end.seat, quiet: 1 } });
  if (!g.end || g.end.at !== g.at) calls.push({ verb: 'goto', args: { node: g.at } });
  else calls.push({ verb: 'state', args: {} });
  return calls;
}

// A session as the program writes it in JSON: setup and tree. The engine of the page reads no JSON; it plays the moves again.
export function fromJson(text: string): Saved | null {
  if (!text.startsWith('{')) return null;
  let s: Partial<Session>;
  try {
    s = JSON.parse(text) as Partial<Session>;
  } catch {
    return null;
  }
  if (typeof s.game !== 'string' || !Array.isArray(s.nodes) || s.nodes.length === 0 || !/^[0-9a-f]+$/i.test(s.key?.run ?? '')) return null;
  const whole = { options: '', position: null, seats: [], at: s.nodes[0]!.id, ...s } as Session;
  const g = saved(whole, { seats: ['human', 'human'], level: 3, flip: false });
  const how = s.result?.end === 'resigned' ? 'resign' : s.result?.end === 'time' ? 'flag' : null;
  if (how && s.result!.loser !== null) g.end = { how, seat: s.result!.loser, at: g.at };
  return g;
}

// The game of each kind that is on the table, and those that were there before; a server keeps its own.
const NOW = 'keiko.game.';
const PAST = 'keiko.past.';
const MOST = 60;

let wrote: Saved | null = null; // what this tab kept last
const played = (g: Saved, n: number) => JSON.stringify(g.rows.slice(0, n).map(([parent, move]) => [parent, move]));

// Gives the time under which the game is kept. That is a new one where another tab has meanwhile played the same game in
// another way: then there are two games.
export function keep(game: Saved): number {
  const name = game.setup.game;
  const old = kept(name);
  const same = old && (old.begun ?? 0) === (game.begun ?? 0);
  const parted = same && wrote?.setup.game === name && wrote.begun === game.begun && wrote.time !== old.time && played(old, old.rows.length) !== played(game, old.rows.length);
  const g = parted ? { ...game, begun: Date.now() } : game;
  if (old && (parted || !same) && old.rows.length > 1 && !old.id) {
    store(`${PAST}${old.begun || Date.now()}`, old);
    for (const key of keys(PAST).slice(0, -MOST)) localStorage.removeItem(key);
  }
  store(`${NOW}${name}`, g);
  store('keiko.last', name);
  for (const key of keys(PAST)) if (key === `${PAST}${g.begun}`) localStorage.removeItem(key); // it is on the table again
  wrote = g;
  return g.begun ?? 0;
}
// The server has it now, perhaps when another game is on the table already.
export function placed(name: string, begun: number, id: string): void {
  const g = kept(name);
  if (g && g.begun === begun) store(`${NOW}${name}`, { ...g, id });
}
export const kept = (game: string): Saved | null => {
  const g = stored<Saved>(`${NOW}${game}`);
  return g && g.v === 1 && g.setup.game === game ? g : null;
};
function keys(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((k) => k.startsWith(prefix)).sort();
  } catch {
    return []; // forbidden
  }
}
export const pastGames = (): [string, Saved][] =>
  [...keys(NOW), ...keys(PAST)].flatMap((k) => {
    const g = stored<Saved>(k);
    return g && g.v === 1 && g.rows.length > 1 ? [[k, g] as [string, Saved]] : [];
  });
// From the past back onto the table.
export function takePast(key: string): Saved | null {
  const g = stored<Saved>(key);
  if (key.startsWith(PAST)) localStorage.removeItem(key);
  return g;
}
export const lastGame = (): string | null => stored<string>('keiko.last');

// --- links: #/othello?m=f5_d6_c3

const packMoves = (moves: string[]) => moves.map((m) => encodeURIComponent(m.replaceAll(' ', '+'))).join('_');
const unpackMoves = (text: string) => (text === '' ? [] : text.split('_').map((m) => decodeURIComponent(m).replaceAll('+', ' ')));

export function link(setup: Setup, moves: string[]): string {
  const q = [`m=${packMoves(moves)}`];
  if (setup.options) q.push(`o=${encodeURIComponent(setup.options)}`);
  if (setup.position) q.push(`p=${encodeURIComponent(setup.position)}`);
  if (setup.seed !== '1') q.push(`s=${setup.seed}`);
  return `${location.origin}${location.pathname}#/${setup.game}?${q.join('&')}`;
}

export function fromLink(hash: string): { setup: Setup; moves: string[] } | null {
  const m = /^#\/(?:analyse\/)?([a-z0-9-]+)\?(.*)$/.exec(hash);
  if (!m) return null;
  const part = new Map(m[2]!.split('&').map((p): [string, string] => [p.slice(0, p.indexOf('=')), p.slice(p.indexOf('=') + 1)]));
  try {
    return {
      setup: {
        game: m[1]!,
        options: decodeURIComponent(part.get('o') ?? ''),
        position: part.has('p') ? decodeURIComponent(part.get('p')!) : null,
        seed: /^\d{1,20}$/.test(part.get('s') ?? '') ? part.get('s')! : '1',
      },
      moves: unpackMoves(part.get('m') ?? ''),
    };
  } catch {
    return null;
  }
}
