// A game in real time as the page keeps it: the frame loop, who plays, pause, the record. Rules are the engine's.
import { batch, signal } from '@preact/signals';
import type { LiveAnswer, Placement, PuyoEngine } from '../../engine/puyo';
import type { PuyoView, State } from '../../engine/types';
import { Hands } from '../../games/puyo/faller';
import { Match, style, type Referee, type Rest } from '../../games/puyo/match';
import { Screen } from '../../games/puyo/screen';
import { sound } from '../../ui/sound';
import { calm, store, stored } from '../../ui/settings';

export interface Setup {
  kind: 'versus' | 'solo';
  level: number;
  seed: number;
  seconds: number; // solo: time to score; 0 = no limit
}

export interface Recorded extends Setup {
  v: 1;
  rests: [number, string, number][]; // seat, move, frame
  result: string;
  points: number[];
}

const FRAME = 1000 / 60;
const GRAVITY = { versus: 26, solo: 30 };

export const versus = (engine: PuyoEngine, seed: number): Referee => ({
  start: () => engine.ask<LiveAnswer>('live-new', { seed }),
  rest: (seat, move, frame) => engine.ask<LiveAnswer>('live-rest', { seat, move, frame }),
  pass: (frame) => engine.ask<LiveAnswer>('live-pass', { frame }),
});

// Alone: a session of puyo-solo. Its clock is the end of the chain.
export function solo(engine: PuyoEngine, seed: number): Referee {
  const answer = async (s: State, landed: number): Promise<LiveAnswer> => {
    const side = (s.view as PuyoView).sides[0]!;
    const over = s.session.result.end !== 'none';
    const clock = landed + (s.steps?.links.reduce((n, l) => n + l.frames, 0) ?? 0);
    const hand = over ? {} : await engine.ask<{ placements: Placement[] }>('placements', { field: side.field, pair: side.pairs[0], reach: 1 });
    return { sides: [{ ...side, clock }], events: [{ chain: s.steps?.links.length ?? 0, sent: 0, received: 0, allClear: false }], hands: [hand], over, score: [0], landed, ...(s.steps ? { steps: s.steps } : {}) };
  };
  return {
    start: async () => answer(await engine.solo([{ verb: 'new', args: { game: 'puyo-solo', options: 'moves=1000', seed } }]), 0),
    rest: async (_seat, move, frame) => answer(await engine.solo([{ verb: 'play', args: { move } }]), frame),
    pass: () => Promise.reject(new Error('nothing to wait for')),
  };
}

export class Live {
  readonly hands = new Hands();
  readonly screens: Screen[];
  readonly match: Match;
  readonly version = signal(0); // grows when something beside the fields changes
  readonly paused = signal(false);
  readonly ended = signal<string | null>(null);
  readonly ready = signal(false);
  record: Recorded | null = null; // of the game that has ended, also where the browser keeps none
  private loop = 0;
  private then = 0;
  private left = 0;

  constructor(
    private readonly engine: PuyoEngine,
    readonly setup: Setup,
  ) {
    const two = setup.kind === 'versus';
    this.screens = two ? [new Screen(), new Screen()] : [new Screen()];
    const agent = { level: setup.level, choose: (seat: number) => this.think(seat) };
    this.match = new Match(two ? versus(engine, setup.seed) : solo(engine, setup.seed), two ? [{ hands: this.hands }, agent] : [{ hands: this.hands }], GRAVITY[setup.kind]);
    this.match.changed = () => this.version.value++;
    this.match.linked = (n) => sound.link(n);
    this.match.rested = (seat) => seat === 0 && sound.place();
    style.flash = !calm();
  }

  private async think(seat: number): Promise<string> {
    const { position } = await this.engine.ask<{ position: string }>('live-ask', { seat });
    return this.engine.choose(position, String(this.setup.level));
  }

  async begin(): Promise<void> {
    try {
      await this.match.begin();
    } catch (e) {
      this.match.failed = e as Error;
      this.ended.value = 'failed';
      return;
    }
    this.ready.value = true;
    this.then = performance.now();
    this.loop = requestAnimationFrame((now) => this.tick(now));
  }

  stop(): void {
    cancelAnimationFrame(this.loop);
  }

  pause(on: boolean): void {
    if (this.ended.value || this.paused.value === on) return;
    this.hands.clear();
    this.paused.value = on;
    this.then = performance.now();
  }

  get secondsLeft(): number | null {
    return this.setup.seconds > 0 ? Math.max(0, Math.ceil(this.setup.seconds - this.match.frame / 60)) : null;
  }

  private tick(now: number): void {
    if (!this.paused.value) {
      this.left = Math.min(this.left + (now - this.then), 8 * FRAME); // a page that was kept waiting does not catch up
      for (; this.left >= FRAME; this.left -= FRAME) this.frame();
    }
    this.then = now;
    this.paint();
    if (!this.ended.value) this.loop = requestAnimationFrame((n) => this.tick(n));
  }

  private frame(): void {
    const m = this.match;
    const side = m.sides[0]!;
    const late = this.setup.seconds > 0 && m.frame >= 60 * this.setup.seconds;
    if (late && side.busyUntil <= m.frame && !side.asked) return this.end('time');
    if (late && side.faller) side.faller = null;
    if (!late || side.asked || side.busyUntil > m.frame) m.step();
    if (m.frame % 60 === 0) this.version.value++;
    if (m.failed) this.end('failed');
    else if (m.done) this.end(this.setup.kind === 'solo' ? 'buried' : m.score[0] === m.score[1] ? 'draw' : m.score[0]! > m.score[1]! ? 'win' : 'lose');
  }

  private end(result: string): void {
    if (this.ended.value) return;
    this.record = { v: 1, ...this.setup, rests: this.match.rests.map((r: Rest) => [r.seat, r.move, r.frame]), result, points: this.match.sides.map((s) => s.state.score) };
    for (const s of this.match.sides) s.shown = s.state.score;
    keepRecord(this.record);
    batch(() => {
      this.ended.value = result;
      this.version.value++;
    });
  }

  paint(): void {
    this.match.sides.forEach((s, i) => {
      const { puyos, joined } = s.puyos(this.match.frame);
      const f = s.faller;
      const all = f && !s.asked ? [...(i === 0 ? f.ghost() : []), ...f.puyos()] : f ? f.puyos() : [];
      this.screens[i]?.paint([...puyos, ...all], joined && !f ? true : joined);
    });
  }
}

// --- records: the last games, and the best scores

const KEPT = 12;

function keepRecord(r: Recorded): void {
  store('keiko.puyo.games', [r, ...records()].slice(0, KEPT));
  if (r.kind === 'solo') store(`keiko.puyo.best.${r.seconds}`, Math.max(best(r.seconds), r.points[0] ?? 0));
}
export const records = (): Recorded[] => (stored<Recorded[]>('keiko.puyo.games') ?? []).filter((r) => r.v === 1);
export const best = (seconds: number): number => stored<number>(`keiko.puyo.best.${seconds}`) ?? 0;

// #/puyo/replay?k=versus&l=5&s=12&t=0&r=0.3u.120_1.4r.133
export const replayLink = (r: Recorded): string => `#/puyo/replay?k=${r.kind}&l=${r.level}&s=${r.seed}&t=${r.seconds}&r=${r.rests.map((x) => x.join('.')).join('_')}`;

export function fromReplayLink(hash: string): Recorded | null {
  const q = new URLSearchParams(hash.split('?')[1] ?? '');
  const rests = (q.get('r') ?? '').split('_').filter(Boolean).map((x): [number, string, number] => {
    const [seat, move, frame] = x.split('.');
    return [Number(seat), move ?? '', Number(frame)];
  });
  if (rests.length === 0 || rests.some(([a, m, f]) => !(a === 0 || a === 1) || !/^[1-6][urdl]$/.test(m) || !Number.isInteger(f) || f < 0)) return null;
  return { v: 1, kind: q.get('k') === 'solo' ? 'solo' : 'versus', level: Number(q.get('l')) || 5, seed: Number(q.get('s')) || 0, seconds: Number(q.get('t')) || 0, rests, result: '', points: [] };
}
