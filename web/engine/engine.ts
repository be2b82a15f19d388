// The engine as the page sees it. Two workers run the same keiko.wasm: one keeps the session and answers rules within a frame,
// the other thinks. The thinker gets the line of moves with each question; it uses again what it knows of that line.
import type { Args } from './wasm';
import type { Call, Reply, Request } from './worker';
import { Queue, type Thinking } from './queue';
import { Cancelled, Refused, Unloaded } from './refused';
import type { AgentRow, Analysis, LevelRow, Line, Review, Session, Setup, State, Swap, View, PuyoSteps } from './types';

export { Cancelled, Refused };
export type { Thinking };

export interface Question {
  setup: Setup;
  moves: string[]; // from the start
}

export interface Engine {
  // The session that the page shows.
  calls(calls: { verb: string; args?: Args }[]): Promise<State>;
  look(move: string): Promise<{ view?: View; steps?: PuyoSteps }>;
  preview(q: Question): Promise<State>;
  replay(game: string, text: string, ply: number): Promise<State>; // a recorded game after some moves
  exported(format: string): Promise<string>;
  levels(game: string): Promise<LevelRow[]>;
  agents(game: string): Promise<AgentRow[]>;
  choose(q: Question, agent: string): Thinking<Line>;
  swap2(q: Question, agent: string, choices: string): Thinking<Swap>; // an agent's step
  analyse(q: Question, helper: string, count: number, lines: (a: Analysis) => void): Thinking<Analysis>;
  review(q: Question, helper: string, progress: (done: number, all: number) => void): Thinking<Review>;
}

// Where games are kept beyond this browser. An id of '' is no place yet.
export interface Keeper {
  attach(id: string, setup: Setup): void; // the game that is shown from now on
  place(): string;
  keep(q: Question, seats: string[], end: { how: string; seat: number } | null): Promise<string>; // where
}

type Waiting = {
  resolve(v: never): void;
  reject(e: Error): void;
  lines?: ((a: Analysis) => void) | undefined;
  progress?: ((done: number, all: number) => void) | undefined;
};

type Message = Request extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never;

// Compiled once, for both workers.
export async function compile(): Promise<WebAssembly.Module> {
  const answer = await fetch('keiko.wasm').catch(() => null);
  if (!answer?.ok) throw new Unloaded('keiko.wasm');
  if (answer.headers.get('content-type') === 'application/wasm') return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

export class Port {
  private worker: Worker | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private opened: Promise<unknown> = Promise.resolve();
  readonly flag = globalThis.crossOriginIsolated ? new SharedArrayBuffer(4) : null;

  constructor(
    private readonly module: Promise<WebAssembly.Module>,
    private readonly fresh: () => void = () => {},
  ) {}

  private start(): Worker {
    const w = new Worker('worker.js', { type: 'module' });
    w.onmessage = (e: MessageEvent<Reply>) => this.hear(e.data);
    w.onerror = (e) => this.fail(new Error(e.message || 'the engine could not be started'));
    this.worker = w;
    this.fresh();
    this.opened = this.module.then((module) => this.send(w, { kind: 'open', module, flag: this.flag }));
    this.opened.catch((e: Error) => this.fail(e));
    return w;
  }

  private hear(r: Reply): void {
    const w = this.waiting.get(r.id);
    if (!w) return;
    if (r.kind === 'lines') return w.lines?.(r.value as Analysis);
    if (r.kind === 'progress') return w.progress?.(r.done, r.all);
    this.waiting.delete(r.id);
    if (r.kind === 'answer') w.resolve(r.value as never);
    else w.reject(r.refused ? new Refused(r.message) : new Error(r.message));
  }

  private fail(e: Error): void {
    for (const w of this.waiting.values()) w.reject(e);
    this.waiting.clear();
  }

  private send<T>(w: Worker, m: Message, on: Pick<Waiting, 'lines' | 'progress'> = {}, move: Transferable[] = []): Promise<T> {
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (v: never) => void, reject, ...on });
      w.postMessage({ ...m, id } as Request, move);
    });
  }

  // Questions wait for the engine, and go out in the order in which they were asked.
  async ask<T>(m: Message, on: Pick<Waiting, 'lines' | 'progress'> = {}, move: Transferable[] = []): Promise<T> {
    const w = this.worker ?? this.start();
    await this.opened;
    if (w !== this.worker) throw new Cancelled('cancelled');
    return this.send(w, m, on, move);
  }

  warm(): void {
    if (!this.worker) this.start();
  }

  // With shared memory the search ends by itself; else the worker is ended and a new one starts at the next question.
  stop(): void {
    if (this.flag) {
      Atomics.store(new Int32Array(this.flag), 0, 1);
      return;
    }
    this.worker?.terminate();
    this.worker = null;
    this.fail(new Cancelled('cancelled'));
  }
}

// Weights that agents of a game use: fetched when the first of them thinks.
function filesOf(game: string, spec: string): string[] {
  const files: string[] = [];
  if (game === 'othello') files.push('models/othello-patterns.bin');
  if (/renju|gomoku|freestyle/.test(game)) files.push('models/renju-weights.bin');
  if (spec.startsWith('zero')) files.push(`models/${/model=([\w-]+)/.exec(spec)?.[1] ?? game}.safetensors`);
  if (spec.startsWith('dqn')) files.push(game === 'puyo' ? 'models/puyo-dqn.safetensors' : 'models/puyo-dqn-alone.safetensors');
  return files;
}

enum Slot {
  shown = 0,
  scratch = 1,
  replay = 2,
  line = 0,
  review = 1,
}

export class LocalEngine implements Engine {
  private readonly module = compile();
  private readonly rules = new Port(this.module);
  private readonly mind: Port = new Port(this.module, () => this.forget());
  private readonly files = new Map<string, Promise<ArrayBuffer | null>>();
  private given = new Set<string>();
  private known = ''; // the setup that the thinker has
  private readonly queue = new Queue(
    () => this.mind.flag && Atomics.store(new Int32Array(this.mind.flag), 0, 0),
    () => this.mind.stop(),
  );

  constructor() {
    this.rules.warm();
    setTimeout(() => this.mind.warm(), 600); // ready before the first question, and should the connection go
  }

  private forget(): void {
    this.given = new Set();
    this.known = '';
  }

  calls(calls: { verb: string; args?: Args }[]): Promise<State> {
    return this.rules.ask({ kind: 'calls', calls: calls.map((c) => ({ which: Slot.shown, verb: c.verb, args: c.args ?? {} })) });
  }

  look(move: string): Promise<{ view?: View; steps?: PuyoSteps }> {
    return this.rules.ask({ kind: 'calls', calls: [{ which: Slot.shown, verb: 'look', args: { move } }] });
  }

  preview(q: Question): Promise<State> {
    return this.rules.ask({ kind: 'calls', calls: [{ which: Slot.scratch, verb: 'new', args: setupArgs(q) }] });
  }

  async exported(format: string): Promise<string> {
    const a = await this.rules.ask<{ text: string }>({ kind: 'calls', calls: [{ which: Slot.shown, verb: 'export', args: { format } }] });
    return a.text;
  }

  replay(game: string, text: string, ply: number): Promise<State> {
    return this.rules.ask({
      kind: 'calls',
      calls: [
        { which: Slot.replay, verb: 'load', args: { text, game, quiet: 1 } },
        { which: Slot.replay, verb: 'goto', args: { node: ply } },
      ],
    });
  }

  levels(game: string): Promise<LevelRow[]> {
    return this.rules.ask({ kind: 'list', what: 'levels', game });
  }

  agents(game: string): Promise<AgentRow[]> {
    return this.rules.ask({ kind: 'list', what: 'agents', game });
  }

  // --- thinking, one question at a time

  private fetched(name: string): Promise<ArrayBuffer | null> {
    let f = this.files.get(name);
    if (!f) {
      f = fetch(name).then((r) => (r.ok ? r.arrayBuffer() : null)).catch(() => null);
      this.files.set(name, f);
      void f.then((data) => data ?? this.files.delete(name)); // try again next time
    }
    return f;
  }

  private async prepare(game: string, spec: string): Promise<void> {
    for (const name of filesOf(game, spec)) {
      if (this.given.has(name)) continue;
      const data = await this.fetched(name);
      if (data === null) continue; // the engine says what it misses
      this.mind.warm();
      this.given.add(name);
      const copy = data.slice(0);
      await this.mind.ask({ kind: 'file', name, data: copy }, {}, [copy]);
    }
  }

  private toLine(q: Question): Call[] {
    const setup = JSON.stringify(q.setup);
    const calls: Call[] = [];
    if (setup !== this.known) calls.push({ which: Slot.line, verb: 'new', args: { ...setupArgs({ setup: q.setup, moves: [] }), quiet: 1 } });
    calls.push({ which: Slot.line, verb: 'line', args: { moves: q.moves.join(';'), quiet: 1 } });
    this.known = setup;
    return calls;
  }

  choose(q: Question, agent: string): Thinking<Line> {
    return this.queue.ask(async () => {
      await this.prepare(q.setup.game, agent);
      this.mind.warm();
      const a = await this.mind.ask<{ choice: Line }>({ kind: 'calls', calls: [...this.toLine(q), { which: Slot.line, verb: 'choose', args: { agent } }] });
      return a.choice;
    });
  }

  swap2(q: Question, agent: string, choices: string): Thinking<Swap> {
    return this.queue.ask(async () => {
      await this.prepare(q.setup.game, agent);
      this.mind.warm();
      const a = await this.mind.ask<{ swap2: Swap }>({ kind: 'calls', calls: [...this.toLine(q), { which: Slot.line, verb: 'swap2', args: { agent, choices, quiet: 1 } }] });
      return a.swap2;
    });
  }

  analyse(q: Question, helper: string, count: number, lines: (a: Analysis) => void): Thinking<Analysis> {
    return this.queue.ask(async () => {
      await this.prepare(q.setup.game, helper);
      this.mind.warm();
      const a = await this.mind.ask<{ analysis: Analysis }>({ kind: 'calls', calls: [...this.toLine(q), { which: Slot.line, verb: 'analyse', args: { helper, count } }] }, { lines });
      return a.analysis;
    });
  }

  review(q: Question, helper: string, progress: (done: number, all: number) => void): Thinking<Review> {
    return this.queue.ask(async () => {
      await this.prepare(q.setup.game, helper);
      this.mind.warm();
      const a = await this.mind.ask<{ review: Review; session: Session }>(
        {
          kind: 'calls',
          calls: [
            { which: Slot.review, verb: 'new', args: { ...setupArgs(q), quiet: 1 } },
            { which: Slot.review, verb: 'review', args: { helper } },
          ],
        },
        { progress },
      );
      return { ...a.review, positions: a.session.nodes };
    });
  }
}

export function setupArgs(q: Question): Args {
  return {
    game: q.setup.game,
    options: q.setup.options || undefined,
    position: q.setup.position ?? undefined,
    seed: q.setup.seed,
    moves: q.moves.length > 0 ? q.moves.join(';') : undefined,
  };
}
