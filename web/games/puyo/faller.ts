// The pair on its way down: gravity, moves, turns with kicks, the moment it rests. No rules: where a pair may come to rest is
// the engine's list of placements, and the pair is never where none of them is below it. All times are frames, 60 per second.
import type { Placement } from '../../engine/puyo';

export const TURNS = 'urdl';
export const SIDE = [0, 1, 0, -1] as const; // column of the second puyo beside the first, by turn
const UP = [1, 0, -1, 0] as const; // its row
const SPAWN = { col: 2, row: 12 };

// Every (column, turn) that leads to a placement. Two equal puyos have one placement for two turns.
export class Places {
  private readonly at = new Map<number, Placement>();

  constructor(pair: string, placements: Placement[]) {
    for (const p of placements) {
      const col = Number(p.move[0]) - 1;
      const turn = TURNS.indexOf(p.move[1] ?? '');
      this.at.set(4 * col + turn, p);
      if (pair[0] !== pair[1]) continue;
      const [a, b, c, d] = p.cells;
      const other: Placement = { move: p.move, cells: [c, d, a, b] };
      this.at.set(4 * c + ((turn + 2) & 3), other);
    }
  }

  get(col: number, turn: number): Placement | undefined {
    return col < 0 || col > 5 ? undefined : this.at.get(4 * col + turn);
  }

  // The row in which the first puyo stops; null where the pair may not go.
  rest(col: number, turn: number): number | null {
    const p = this.get(col, turn);
    if (!p) return null;
    return turn % 2 === 0 ? p.cells[1] : Math.max(p.cells[1], p.cells[3]);
  }
}

export interface Pace {
  gravity: number; // frames per row
  fast: number; // the same when pushed down
  rest: number; // frames that a pair lies before it is fixed
}

const KICKS = 8; // times a pair may be lifted by turning: it must come to rest at last

export class Faller {
  col = SPAWN.col;
  turn = 0;
  row: number = SPAWN.row; // of the first puyo; falls continuously
  push = false; // down is held
  hold = false; // not fixed yet, whatever happens: its player still thinks
  private lain = 0;
  private kicks = 0;
  private refused = 0; // turns that found no room in a row
  fixed = false;

  constructor(
    readonly pair: string,
    readonly places: Places,
    readonly pace: Pace,
  ) {
    if (places.rest(this.col, this.turn) === null) this.nearest();
  }

  // No room above column 3 for an upright pair: the placement nearest to it.
  private nearest(): void {
    for (let d = 0; d < 6; d++)
      for (const col of [SPAWN.col - d, SPAWN.col + d])
        for (let turn = 0; turn < 4; turn++)
          if (this.places.get(col, turn)) {
            [this.col, this.turn] = [col, turn];
            this.row = Math.max(this.row, this.places.rest(col, turn)!);
            return;
          }
  }

  get stop(): number {
    return this.places.rest(this.col, this.turn)!;
  }

  get placement(): Placement {
    return this.places.get(this.col, this.turn)!;
  }

  private enter(col: number, turn: number, lift: number): boolean {
    const rest = this.places.rest(col, turn);
    if (rest === null || rest - this.row > lift) return false;
    this.col = col;
    this.turn = turn;
    this.row = Math.max(this.row, rest);
    if (this.row > rest) this.lain = Math.min(this.lain, this.pace.rest - 1);
    return true;
  }

  // Half a row of tolerance; at the top the pair may climb a step, as the engine's list allows it.
  move(by: number): boolean {
    if (this.fixed) return false;
    return this.enter(this.col + by, this.turn, this.row > SPAWN.row - 1.5 ? 1.5 : 0.5);
  }

  // Turns by a quarter; against a wall or the floor the pair is pushed away. Between two walls a second press turns it over.
  rotate(by: number): boolean {
    if (this.fixed) return false;
    const turn = (this.turn + by + 4) & 3;
    const lift = this.kicks < KICKS ? 1.01 : 0;
    const before = this.row;
    const done =
      this.enter(this.col, turn, lift) ||
      (SIDE[turn] !== 0 && this.enter(this.col - SIDE[turn]!, turn, lift)) ||
      (this.refused > 0 && this.enter(this.col, (this.turn + 2) & 3, lift));
    if (this.row > before) this.kicks++;
    this.refused = done ? 0 : this.refused + 1;
    return done;
  }

  toColumn(col: number): void {
    while (this.col < col && this.move(1));
    while (this.col > col && this.move(-1));
  }

  drop(): void {
    if (this.fixed) return;
    this.row = this.stop;
    this.fixed = true;
  }

  // One frame. True when the pair has just been fixed.
  step(): boolean {
    if (this.fixed) return false;
    const stop = this.stop;
    this.row = Math.max(stop, this.row - 1 / (this.push ? this.pace.fast : this.pace.gravity));
    if (this.row > stop) return false;
    this.lain += this.push ? 4 : 1;
    if (this.hold || this.lain < this.pace.rest) return false;
    this.fixed = true;
    return true;
  }

  // Rows from 0, as the field is drawn.
  puyos(): { r: number; c: number; colour: string }[] {
    const r = this.row - 1;
    return [
      { r, c: this.col, colour: this.pair[0]! },
      { r: r + UP[this.turn]!, c: this.col + SIDE[this.turn]!, colour: this.pair[1]! },
    ];
  }

  ghost(): { r: number; c: number; colour: string; ghost: true }[] {
    const [a, b, c, d] = this.placement.cells;
    return [
      { r: b - 1, c: a, colour: this.pair[0]!, ghost: true },
      { r: d - 1, c, colour: this.pair[1]!, ghost: true },
    ];
  }
}

// --- keys: the first step at once, then a pause, then quickly

const REPEAT = { first: 10, next: 2 };

export class Hands {
  private way = 0;
  private held = 0;
  down = false;
  private turns: number[] = [];
  private hard = false;
  private steps = 0;

  side(way: number): void {
    this.way = way;
    this.held = 0;
    this.steps += way;
  }
  release(way: number): void {
    if (this.way === way) this.way = 0;
  }
  turn(by: number): void {
    this.turns.push(by);
  }
  drop(): void {
    this.hard = true;
  }
  clear(): void {
    this.way = this.held = this.steps = 0;
    this.down = this.hard = false;
    this.turns = [];
  }
  // A pair that has just appeared does not get what was meant for the one before.
  fresh(): void {
    this.steps = 0;
    this.hard = this.down = false;
    this.turns = [];
  }

  apply(f: Faller): void {
    for (const by of this.turns.splice(0)) f.rotate(by);
    for (; this.steps > 0; this.steps--) f.move(1);
    for (; this.steps < 0; this.steps++) f.move(-1);
    if (this.way !== 0) {
      this.held++;
      if (this.held >= REPEAT.first && (this.held - REPEAT.first) % REPEAT.next === 0) f.move(this.way);
    }
    f.push = this.down;
    if (this.hard) {
      this.hard = false;
      f.drop();
    }
  }
}

// --- an agent's hands: it has decided where to go and presses keys at its pace

const PACE = [0, 16, 14, 12, 10, 8, 7, 6, 5, 4, 3]; // frames per key, by level
const WAIT = [0, 50, 42, 34, 28, 22, 18, 14, 10, 8, 6]; // before the first one

export class Pilot {
  private target: { col: number; turn: number } | null = null;
  private clock = 0;
  private stuck = 0;

  constructor(private readonly level: number) {}

  decide(move: string): void {
    this.target = { col: Number(move[0]) - 1, turn: Math.max(0, TURNS.indexOf(move[1] ?? 'u')) };
  }

  apply(f: Faller): void {
    f.hold = this.target === null;
    this.clock++;
    const t = this.target;
    if (!t || this.clock < (WAIT[this.level] ?? 6)) return;
    if (f.col === t.col && f.turn === t.turn) {
      f.push = this.level > 1;
      return;
    }
    if (this.clock % (PACE[this.level] ?? 3) !== 0) return;
    const by = (t.turn - f.turn + 4) & 3;
    const way = Math.sign(t.col - f.col);
    const done = (by !== 0 && f.rotate(by === 3 ? -1 : 1)) || (way !== 0 && f.move(way));
    this.stuck = done ? 0 : this.stuck + 1;
    if (this.stuck < 6 || !f.places.get(t.col, t.turn)) return;
    [f.col, f.turn] = [t.col, t.turn]; // the engine says that there is a way
    f.row = Math.max(f.row, f.stop);
  }
}
