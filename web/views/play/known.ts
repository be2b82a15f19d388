// What is known of the game on the table: the session, who sits at it, what the engine says, and all that follows from these.
// Nothing here asks the engine or changes the game: table.ts does.
import { computed, signal } from '@preact/signals';
import type { Question } from '../../engine/engine';
import type { AgentRow, Analysis, CellsView, LevelRow, Line, Review, Session, SessionNode, State, Swap, View } from '../../engine/types';
import { games, type GameDef } from '../../games';
import { t, type Key } from '../../ui/i18n';
import { setupOf, type Saved } from './record';

export type Mode = 'first' | 'second' | 'people' | 'watch' | 'alone';
export type Cause = 'open' | 'play' | 'agent' | 'jump';

// "about +4 f5 d6", "+112: h8 h7", "a1,a2 b3g  c5,c4": moves of a line; two blanks separate moves that contain one.
export function movesOf(line: string): string[] {
  const text = line.replace(/^(final|about) [+-]?\d+ ?|^[+-][\d.]+: ?|^(wins|loses) in \d+: ?|^proven \w+: ?/, '').trim();
  if (/^[a-z]+:|expects/.test(text)) return [];
  return text.split(text.includes('  ') || text.includes(',') ? /  +/ : / +/).filter((m) => m !== '');
}

// What is proven about a line, in words; '' where it is an estimate.
export function proof(line: string): string {
  const mate = /^(wins|loses) in (\d+):/.exec(line);
  if (mate) return t(mate[1] === 'wins' ? 'lines.wins' : 'lines.loses', { n: mate[2]! });
  return /^(final|proven) /.test(line) ? t('lines.exact') : '';
}

export class Known {
  readonly def = signal<GameDef>(games[0]!);
  readonly state = signal<State | null>(null);
  readonly before = signal<View | null>(null); // what was shown before the last change
  readonly cause = signal<Cause>('open');
  readonly seats = signal<[string, string]>(['human', '3']);
  readonly level = signal(3);
  readonly levels = signal<LevelRow[]>([]);
  readonly thinking = signal(false);
  readonly engineOn = signal(false);
  readonly analysis = signal<Analysis | null>(null);
  readonly analysing = signal(false);
  readonly times = signal(1); // as long as usual the engine looks at this position
  readonly hint = signal<Line | null>(null);
  readonly hinting = signal(false);
  readonly flip = signal(false);
  readonly paused = signal(false);
  readonly message = signal('');
  readonly failed = signal('');
  readonly review = signal<Review | null>(null);
  readonly reviewing = signal<{ done: number; all: number } | null>(null);
  readonly preview = signal<{ view: View; moves: string[]; from: number } | null>(null);

  readonly agents = signal<AgentRow[]>([]);
  // The opening rule swap2. Until it is done, seats are the players' in their order, not the colours'.
  readonly swap = signal<(Swap & { choices: string }) | null>(null);
  readonly ended = signal<Saved['end'] | null>(null); // resignation or time, and where

  // --- what follows from the session

  readonly session = computed<Session | null>(() => this.state.value?.session ?? null);
  readonly byId = computed(() => new Map<number, SessionNode>(this.session.value?.nodes.map((n) => [n.id, n]) ?? []));
  readonly path = computed<SessionNode[]>(() => {
    const s = this.session.value;
    const found: SessionNode[] = [];
    for (let n = s ? this.byId.value.get(s.at) : undefined; n; n = n.parent === undefined ? undefined : this.byId.value.get(n.parent)) found.unshift(n);
    return found;
  });
  // The current line: to here, then along first children to its end.
  readonly line = computed<SessionNode[]>(() => {
    const all = [...this.path.value];
    const nodes = this.session.value?.nodes ?? [];
    for (;;) {
      const end = all.at(-1);
      const next = end && nodes.find((n) => n.parent === end.id);
      if (!next) return all;
      all.push(next);
    }
  });
  readonly over = computed(() => (this.session.value?.result.end ?? 'none') !== 'none');
  readonly isLeaf = computed(() => this.line.value.length === this.path.value.length);
  readonly swapping = computed(() => (this.swap.value && this.swap.value.step !== 'done' ? this.swap.value : null));
  readonly turnOf = computed(() => this.seats.value[this.swapping.value?.player ?? this.session.value?.seat ?? 0] ?? 'human');
  readonly yourTurn = computed(() => !this.over.value && this.turnOf.value === 'human' && !this.reviewing.value && this.swapping.value?.step !== 'choose');
  readonly mode = computed<Mode>(() => {
    const [a, b] = this.seats.value.map((s) => s === 'human');
    if (this.def.value.sides.length === 1) return 'alone';
    return a && b ? 'people' : a ? 'first' : b ? 'second' : 'watch';
  });
  // The seat of the only person, or -1.
  readonly you = computed(() => (this.mode.value === 'first' || this.mode.value === 'alone' ? 0 : this.mode.value === 'second' ? 1 : -1));

  side(seat: number): string {
    return t(this.def.value.sides[seat] ?? ('who.person' as Key));
  }

  who(seat: number): string {
    return this.swapping.value ? '' : this.player(seat);
  }

  // Of swap2: a number where two people play.
  swapper(player: number): string {
    return this.mode.value === 'people' ? t(player ? 'side.two' : 'side.one') : this.player(player);
  }

  private player(seat: number): string {
    const spec = this.seats.value[seat] ?? 'human';
    if (spec === 'human') return this.mode.value === 'people' ? this.side(seat) : t('who.you');
    return /^\d+$/.test(spec) ? t('who.level', { n: spec }) : agentName(spec);
  }

  // Expected score of the first seat at a node, 0 to 1; null where nobody has looked.
  valueAt(n: SessionNode): number | null {
    const s = this.session.value;
    if (s && n.id === s.at && this.over.value && s.result.score.length === 2) return s.result.score[0]!;
    const end = this.finals.value.get(n.id);
    if (end) return end.score;
    if (n.value === undefined) return null;
    return this.mover(n) === 0 ? n.value : 1 - n.value;
  }
  // Ends that were seen: they stay on the graph when one steps back.
  readonly finals = signal<Map<number, { score: number; margin: number | null }>>(new Map());
  marginAt(n: SessionNode): number | null {
    const end = this.finals.value.get(n.id);
    if (end) return end.margin;
    if (n.margin === undefined) return null;
    return this.mover(n) === 0 ? n.margin : -n.margin;
  }
  // Whose turn it is at a node: whoever moved from it, else whoever did not move to it. Seats need not alternate, but where the
  // session says so it is known.
  private mover(n: SessionNode): number {
    const s = this.session.value!;
    if (n.id === s.at) return s.seat;
    const child = s.nodes.find((c) => c.parent === n.id);
    return child?.seat ?? (n.seat === undefined ? 0 : 1 - n.seat);
  }

  question(): Question {
    return { setup: setupOf(this.session.value!), moves: this.path.value.slice(1).map((n) => n.move ?? '') };
  }

  // --- what may be done

  readonly canResign = computed(() => !this.over.value && this.def.value.sides.length === 2 && this.isLeaf.value && this.path.value.length > 1 && this.mode.value !== 'watch' && !this.swapping.value);
  readonly canUndo = computed(() => {
    const own = this.path.value.slice(1 + this.fixed.value);
    return own.length > 0 && (this.swapping.value ? this.yourTurn.value : this.you.value < 0 || own.some((n) => n.seat === this.you.value));
  });
  // Stones of swap2 that nobody takes back.
  private readonly fixed = computed(() => (this.swap.value ? (this.swap.value.choices.startsWith('two') ? 3 : 0) + (this.swapping.value ? 0 : this.swap.value.choices.startsWith('two') ? 2 : 3) : 0));
  readonly canRedo = computed(() => !this.isLeaf.value);
  // The engine is done with this position, and more time could tell more.
  readonly canDeepen = computed(() => {
    const best = this.analysis.value?.moves[0];
    return !!best && this.engineOn.value && this.times.value < 100 && !proof(best.line) && !(this.analysing.value || this.thinking.value || this.reviewing.value || this.over.value);
  });

  // How the game ended, in words: who, and why.
  readonly ending = computed<{ title: string; why: string } | null>(() => {
    const s = this.session.value;
    if (!s || !this.over.value) return null;
    const [a, b] = s.result.score;
    const discs = (this.state.value?.view as CellsView).discs;
    const why = s.result.reason === 'discs' && discs ? t('end.discs', { a: discs[0], b: discs[1] }) : endWord(s.result.end === 'rules' ? s.result.reason : s.result.end);
    if (b === undefined) return { title: t('end.points', { n: a ?? 0 }), why };
    if (a === b) return { title: t('end.draw'), why };
    const winner = (a ?? 0) > b ? 0 : 1;
    const you = this.you.value;
    const title = you < 0 ? t('end.wins', { side: this.side(winner) }) : you === winner ? t('end.youWin') : t('end.youLose');
    return { title, why };
  });
}

// What an agent is called where there is little room: a network of a run by its run and step.
export function agentName(spec: string): string {
  const net = /model=(?:runs\/([^/,]+)\/)?([^,]+)/.exec(spec);
  if (!net) return spec;
  const step = /step_(\d+)/.exec(net[2]!);
  const file = net[2]!.replace(/^.*\//, '').replace('.safetensors', '');
  return [net[1]?.replace(/-\d{8}-\d{6}$/, ''), step ? t('train.step', { n: step[1]! }) : file].filter(Boolean).join(' · ');
}

const endWord = (reason: string): string => {
  const known = ['resigned', 'time', 'failed', 'imported', 'line', 'forbidden', 'full', 'goal', 'stuck', 'repetition', 'plies', 'buried'];
  return known.includes(reason) ? t(`end.${reason}` as Key) : '';
};
