// A game of Puyo in frames. The engine (a referee) says what a placement does and when; this keeps the frame counter, lets
// pairs fall in between, and turns answers into timelines that can be drawn for any frame, live or in a replay.
import type { LiveAnswer } from '../../engine/puyo';
import type { PuyoSide, PuyoSteps } from '../../engine/types';
import { Faller, Hands, Pilot, Places } from './faller';
import { cellOf, falling, parse, still, type Grid, type Puyo } from './field';
import { finalOf, nothing, same } from './motion';

export interface Referee {
  start(): Promise<LiveAnswer>;
  rest(seat: number, move: string, frame: number): Promise<LiveAnswer>;
  pass(frame: number): Promise<LiveAnswer>;
}

export interface Segment {
  at: number;
  frames: number;
  joined: boolean;
  draw(part: number): Puyo[];
  after: Grid;
  link?: { n: number; score: number };
  pair?: Puyo[]; // a placement begins here: the pair as it hung
  total?: number; // … and the score after it
}

const ease = (t: number): number => t * t;
const VANISH = 0.6; // of a pop's frames it glows, then it shrinks

export const style = { flash: true }; // off for people who want little motion

export class Side {
  state: PuyoSide & { due?: boolean };
  timeline: Segment[] = [];
  tail: Grid; // after the last segment
  faller: Faller | null = null;
  places: Places | null = null;
  asked = false; // a placement is with the referee
  shown = 0; // score that has been counted up
  readonly start: Grid;

  constructor(state: PuyoSide) {
    this.state = state;
    this.start = this.tail = parse(state.field);
  }

  get busyUntil(): number {
    const s = this.timeline.at(-1);
    return s ? s.at + s.frames : 0;
  }

  private add(at: number, frames: number, after: Grid, joined: boolean, draw: Segment['draw'], link?: Segment['link']): void {
    this.timeline.push({ at, frames, after, joined, draw, ...(link ? { link } : {}) });
    this.tail = after;
  }

  // The pair rests at `frame`; all of it has landed at `landed`, then the chain runs link by link.
  placed(steps: PuyoSteps, hung: Puyo[], frame: number, landed: number): void {
    const before = this.tail;
    const placed = parse(steps.placed);
    const fresh = still(placed).filter((p) => cellOf(before, p.r, p.c) === '.');
    const moves = fresh.map((p) => ({ ...p, from: hung.find((h) => h.c === p.c && h.colour === p.colour)?.r ?? p.r }));
    this.add(frame, Math.max(1, landed - frame), placed, false, (t) => [...still(before), ...moves.map((m) => ({ c: m.c, colour: m.colour, r: m.from + (m.r - m.from) * ease(t) }))]);
    this.timeline.at(-1)!.pair = hung;
    let at = Math.max(landed, frame + 1);
    let field = placed;
    steps.links.forEach((l, i) => {
      const now = field;
      const gone = parse(l.popped);
      const next = parse(l.field);
      const pop = Math.min(50, l.frames);
      this.add(at, pop, now, true, (t) =>
        still(now).map((p) => {
          if (cellOf(gone, p.r, p.c) === '.') return p;
          return t < VANISH ? { ...p, glow: style.flash ? Math.abs(Math.sin(t * 15)) : 0.5 } : { ...p, size: Math.max(0.01, 1 - (t - VANISH) / (1 - VANISH)) };
        }), { n: i + 1, score: l.score });
      this.fall(at + pop, l.frames - pop, now, gone, next);
      at += l.frames;
      field = next;
    });
    this.tail = finalOf(steps);
  }

  private fall(at: number, frames: number, from: Grid, gone: Grid, to: Grid): void {
    const moves = falling(from, gone, to);
    this.add(at, frames, to, false, (t) => moves.map((m) => ({ colour: m.colour, c: m.c, r: m.from + (m.to - m.from) * ease(Math.min(1, t * 1.6)) })));
  }

  // The field is otherwise than the placement left it: nuisance has fallen.
  settle(frame: number): void {
    const target = parse(this.state.field);
    if (same(this.tail, target)) return;
    const at = Math.max(frame, this.busyUntil);
    this.fall(at, Math.max(12, Math.min(70, (this.state.clock ?? 0) - at)), this.tail, nothing, target);
  }

  segmentAt(frame: number): Segment | undefined {
    let low = 0;
    let high = this.timeline.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (this.timeline[mid]!.at <= frame) low = mid + 1;
      else high = mid;
    }
    return this.timeline[low - 1];
  }

  puyos(frame: number): { puyos: Puyo[]; joined: boolean } {
    const s = this.segmentAt(frame);
    if (!s) return { puyos: still(this.start), joined: true };
    if (frame >= s.at + s.frames) return { puyos: still(s.after), joined: true };
    return { puyos: s.draw((frame - s.at) / s.frames), joined: s.joined };
  }

  linkAt(frame: number, hold = 50): Segment['link'] {
    for (let i = this.timeline.length - 1; i >= 0; i--) {
      const s = this.timeline[i]!;
      if (s.at > frame) continue;
      if (s.link) return frame < s.at + s.frames + hold ? s.link : undefined;
      if (frame > s.at + s.frames + hold) return undefined;
    }
    return undefined;
  }
}

export interface Player {
  hands?: Hands; // a person's keys
  level?: number; // an agent's pace
  choose?(seat: number): Promise<string>; // an agent's decision
}

export interface Rest {
  seat: number;
  move: string;
  frame: number;
}

export class Match {
  frame = 0;
  sides: Side[] = [];
  over = false; // by the rules
  score: number[] = [];
  readonly rests: Rest[] = []; // with the referee's start, this is the whole game
  failed: Error | null = null;
  changed: () => void = () => {};
  linked: (n: number) => void = () => {};
  rested: (seat: number) => void = () => {};
  private timing = { next: 12, rest: 20, fast: 2 };
  private pilots: (Pilot | null)[] = [];
  private passing = false;

  constructor(
    private readonly referee: Referee,
    private readonly players: Player[],
    private readonly gravity: number,
  ) {}

  async begin(): Promise<void> {
    const a = await this.referee.start();
    if (a.frames) this.timing = a.frames;
    this.sides = a.sides.map((s) => new Side(s));
    this.hear(a);
  }

  private hear(a: LiveAnswer): void {
    a.sides.forEach((s, i) => {
      const side = this.sides[i]!;
      side.state = s;
      const p = a.hands[i]?.placements;
      side.places = p ? new Places(s.pairs[0] ?? '..', p) : null;
      if (!side.asked) side.settle(this.frame);
    });
    this.score = a.score;
    this.over = a.over;
    this.changed();
  }

  private fail = (e: Error): void => {
    this.failed = e;
    this.changed();
  };

  // All is still and the game has ended.
  get done(): boolean {
    return this.over && this.sides.every((s) => s.busyUntil <= this.frame);
  }

  step(): void {
    if (this.failed || this.done) return;
    this.frame++;
    for (let i = 0; i < this.sides.length; i++) this.stepSide(i);
    if (!this.over && !this.passing && this.sides.some((s) => s.state.due && !s.asked && this.frame >= (s.state.clock ?? 0))) this.pass();
  }

  private pass(): void {
    this.passing = true;
    void this.referee.pass(this.frame).then((a) => this.hear(a)).catch(this.fail).finally(() => (this.passing = false));
  }

  private stepSide(i: number): void {
    const side = this.sides[i]!;
    const player = this.players[i];
    const link = side.segmentAt(this.frame);
    if (link?.link && link.at === this.frame) {
      side.shown += link.link.score;
      this.linked(link.link.n);
      this.changed();
    } else if (this.frame === side.busyUntil) this.changed();
    if (this.over) return void (side.faller = null);
    if (side.asked) return; // its pair lies where it rests
    if (!side.faller) {
      if (side.state.due || !side.places || this.frame < Math.max(side.busyUntil, (side.state.clock ?? 0) + this.timing.next)) return;
      side.shown = side.state.score;
      side.faller = new Faller(side.state.pairs[0]!, side.places, { gravity: this.gravity, fast: this.timing.fast, rest: Math.round(1.5 * this.timing.rest) });
      player?.hands?.fresh();
      this.pilots[i] = player?.choose ? this.pilot(i, side.faller) : null;
      this.changed();
    }
    const f = side.faller;
    if (player?.hands) player.hands.apply(f);
    this.pilots[i]?.apply(f);
    if (f.step() || f.fixed) this.rest(i, f);
  }

  private pilot(i: number, f: Faller): Pilot {
    const p = new Pilot(this.players[i]!.level ?? 5);
    void this.players[i]!.choose!(i)
      .then((move) => this.sides[i]!.faller === f && p.decide(move))
      .catch((e: Error) => this.over || this.fail(e));
    return p;
  }

  private rest(i: number, f: Faller): void {
    const side = this.sides[i]!;
    const frame = this.frame;
    const { move } = f.placement;
    const hung = f.puyos();
    side.asked = true;
    const rest = { seat: i, move, frame };
    this.rests.push(rest);
    this.rested(i);
    void this.referee
      .rest(i, move, frame)
      .then((a) => {
        if (a.steps) side.placed(a.steps, hung, frame, a.landed ?? frame);
        else this.rests.splice(this.rests.indexOf(rest), 1); // the match had ended by then
        side.asked = false;
        side.faller = null;
        this.hear(a);
      })
      .catch(this.fail);
  }
}

// A finished game again: the same calls in the same frames, at once.
export async function rebuilt(referee: Referee, rests: Rest[]): Promise<{ sides: Side[]; frames: number }> {
  const a = await referee.start();
  const sides = a.sides.map((s) => new Side(s));
  let last = a;
  const hear = (b: LiveAnswer, frame: number, seat: number) => {
    b.sides.forEach((s, i) => {
      sides[i]!.state = s;
      if (i === seat && b.steps) {
        const from = sides[i]!.timeline.length;
        sides[i]!.placed(b.steps, hung(last, b, seat), frame, b.landed ?? frame);
        sides[i]!.timeline[from]!.total = s.score;
      }
      sides[i]!.settle(frame);
    });
    last = b;
  };
  const pass = async (until: number) => {
    for (let n = 0; n < 4; n++) {
      const due = last.over ? [] : sides.filter((s) => s.state.due && (s.state.clock ?? 0) <= until).map((s) => s.state.clock ?? 0);
      if (due.length === 0) return;
      const at = Math.min(...due);
      hear(await referee.pass(at), at, -1);
    }
  };
  for (const r of rests) {
    await pass(r.frame);
    if (last.over) break;
    hear(await referee.rest(r.seat, r.move, r.frame), r.frame, r.seat);
  }
  await pass(Infinity);
  return { sides, frames: Math.max(0, ...sides.map((s) => s.busyUntil)) + 30 };
}

// What a replay shows: as live, and the pair on its way down, whose steering is not recorded.
export function replayed(side: Side, frame: number): { puyos: Puyo[]; joined: boolean; score: number; next: Segment | undefined } {
  const now = side.puyos(frame);
  const done = side.segmentAt(frame);
  const at = done ? side.timeline.indexOf(done) : -1;
  const next = side.timeline.slice(at + 1).find((s) => s.pair);
  const from = done ? done.at + done.frames + 12 : 12;
  if (next?.pair && frame >= from && (!done || frame >= done.at + done.frames)) {
    const t = Math.min(1, (frame - from) / Math.max(1, next.at - from));
    now.puyos.push(...next.pair.map((p) => ({ ...p, r: p.r + (1 - t) * Math.max(0, 11 - Math.min(...next.pair!.map((q) => q.r))) })));
  }
  let score = 0;
  let links = 0;
  for (let i = 0; i <= at; i++) {
    const s = side.timeline[i]!;
    if (s.pair) links = 0;
    if (s.link) links += s.link.score;
    if (s.total !== undefined) score = s.total - chainOf(side, i);
  }
  return { ...now, score: score + links, next };
}

function chainOf(side: Side, at: number): number {
  let sum = 0;
  for (let i = at + 1; i < side.timeline.length && !side.timeline[i]!.pair; i++) sum += side.timeline[i]!.link?.score ?? 0;
  return sum;
}

// Where the pair of an answer hung before it was let go: at rest, both puyos in one height or above each other.
function hung(before: LiveAnswer, after: LiveAnswer, seat: number): Puyo[] {
  const old = parse(before.sides[seat]!.field);
  const fresh = still(parse(after.steps!.placed)).filter((p) => cellOf(old, p.r, p.c) === '.');
  const high = Math.max(...fresh.map((p) => p.r));
  return fresh.length === 2 && fresh[0]!.c !== fresh[1]!.c ? fresh.map((p) => ({ ...p, r: high })) : fresh;
}
