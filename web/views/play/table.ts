// The game on the table: what people do, and whoever is asked next. State flows one way: an action calls the engine, the
// engine's answer becomes a signal (known.ts), views show signals.
import { batch } from '@preact/signals';
import { Cancelled, Refused, type Engine, type Keeper, type Question, type Thinking } from '../../engine/engine';
import type { Analysis, CellsView, Line, Setup, State, View } from '../../engine/types';
import type { Args } from '../../engine/wasm';
import { gameOf } from '../../games';
import { t, told, type Key } from '../../ui/i18n';
import { unstored } from '../../ui/settings';
import { sound } from '../../ui/sound';
import { Clocks } from './clocks';
import { Known, movesOf, type Cause, type Mode } from './known';
import { fromJson, fromLink, keep, kept, link, placed, restoring, saved, setupOf, type Clock, type Saved } from './record';

const PAUSE = 350; // milliseconds at least between a move and the answer, so that people see it
const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export class Table extends Known {
  readonly clocks = new Clocks((seat) => void this.flag(seat));

  private job: Thinking<unknown> | null = null;
  private warned = false; // that this browser keeps no games
  private epoch = 0; // counts changes of the position: what was asked before is not wanted any more
  private acting = false;
  private said = 0;
  private begun = 0;
  settled: Promise<unknown> = Promise.resolve(); // the server has the game

  constructor(private readonly engine: Engine & Keeper) {
    super();
  }

  // --- opening

  async start(game: string, o: { seats?: [string, string]; fresh?: boolean; hash?: string; saved?: Saved; swap?: boolean } = {}): Promise<void> {
    const linked = o.hash ? fromLink(o.hash) : null;
    const old = o.saved ?? (linked || o.fresh ? null : kept(game));
    const name = linked?.setup.game ?? game;
    const def = gameOf(name);
    if (!def) return;
    this.stopAll();
    const level = old?.level ?? kept(name)?.level ?? this.level.value;
    const alone = def.sides.length === 1;
    const seats = o.seats ?? old?.seats ?? (alone ? ['human', 'human'] : linked ? ['human', 'human'] : kept(name)?.seats ?? ['human', String(level)]);
    const setup: Setup = linked?.setup ?? { game: name, options: def.options, position: null, seed: String(1 + Math.floor(Math.random() * 2 ** 31)) };
    const g: Saved = old ?? { v: 1, setup, seats, level, flip: false, at: linked?.moves.length ?? 0, rows: (linked?.moves ?? []).map((m, i) => [i, m]) };
    this.swapBy(o.swap ? '' : old?.swap);
    let state: State;
    try {
      state = await this.engine.calls(this.withSwap(restoring(g)));
    } catch (e) {
      if (!(e instanceof Refused)) return this.fail(e);
      this.say(linked ? told(e) : t('say.restored'));
      this.swapBy(undefined);
      state = await this.engine.calls(restoring({ ...g, setup: { ...setup, game: name, options: def.options, position: null, seed: '1' }, at: 0, rows: [] }));
    }
    batch(() => {
      this.def.value = def;
      this.seats.value = [...seats] as [string, string];
      this.level.value = level;
      this.flip.value = g.flip;
      this.review.value = null;
      this.paused.value = false;
      this.before.value = null;
      this.finals.value = new Map();
      this.ended.value = old?.end ?? null;
      this.clocks.set(old?.clock ?? (o.fresh || !linked ? this.clocks.fresh(kept(name)?.clock) : null));
    });
    this.begin(state, old);
    this.lists(name);
    if (o.hash && !linked) this.say(t('pv.noReplay'));
  }

  private lists(game: string): void {
    this.engine.levels(game).then((l) => (this.levels.value = l)).catch(() => undefined);
    this.engine.agents(game).then((l) => (this.agents.value = l)).catch(() => undefined);
  }

  newGame(swap = this.swap.value !== null): Promise<void> {
    return this.start(this.def.value.name, { fresh: true, seats: this.players(), swap });
  }

  // Who began by swap2, whatever colour that became.
  private players(): [string, string] {
    const [a, b] = this.seats.value;
    return this.swap.value?.step === 'done' && this.swap.value.black === 1 ? [b, a] : [a, b];
  }

  private swapBy(choices: string | undefined): void {
    this.swap.value = choices === undefined ? null : { choices, step: 'put', player: 0, left: 3, two: false, black: 0 };
  }

  private withSwap(calls: { verb: string; args?: Args }[]): { verb: string; args?: Args }[] {
    return this.swap.value ? [...calls, { verb: 'swap2', args: { choices: this.swap.value.choices } }] : calls;
  }

  // A colour, or two more stones; made by a person or an agent.
  async choose(choice: string, moves: string[] = []): Promise<void> {
    const s = this.swapping.value;
    if (!s) return;
    const who = this.swapper(s.player);
    if (choice) {
      this.swap.value = { ...s, choices: `${s.choices} ${choice}`.trim() };
      if (this.turnOf.value !== 'human') this.say(choice === 'two' ? t('swap.choseTwo', { who }) : t('swap.chose', { who, side: t(`side.${choice}` as Key) }));
    }
    try {
      this.take(await this.engine.calls(this.withSwap(moves.map((move) => ({ verb: 'play', args: { move, quiet: 1 } })))), 'agent');
    } catch (e) {
      this.fail(e);
    }
    if (choice) this.go();
  }

  async load(text: string): Promise<void> {
    const json = fromJson(text);
    if (!json && text.startsWith('{')) throw new Refused(t('share.json'));
    const state = json ? await this.engine.calls(restoring(json)) : await this.engine.calls([{ verb: 'load', args: { text } }]).catch(async (e: Error) => {
      // A bare list of moves does not say which game it is.
      if (!(e instanceof Refused)) throw e;
      return this.engine.calls([{ verb: 'load', args: { text, game: this.def.value.name } }]);
    });
    const def = gameOf(state.session.game);
    if (!def) throw new Refused(state.session.game);
    this.stopAll();
    batch(() => {
      this.def.value = def;
      this.swapBy(undefined);
      this.seats.value = ['human', 'human'];
      this.review.value = null;
      this.before.value = null;
      this.finals.value = new Map();
      this.ended.value = json?.end ?? null;
      this.clocks.set(null);
    });
    this.begin(state, null);
    this.lists(def.name);
  }

  // A position made by hand, in the game's own notation; the rules may refuse it.
  async setUp(position: string): Promise<void> {
    const { game, options, seed } = setupOf(this.session.value!);
    const state = await this.engine.calls([{ verb: 'new', args: { game, options: options || undefined, seed, position } }]);
    this.stopAll();
    batch(() => {
      this.swapBy(undefined);
      this.seats.value = ['human', 'human'];
      this.review.value = null;
      this.finals.value = new Map();
      this.ended.value = null;
      this.clocks.set(null);
    });
    this.begin(state, null);
  }

  // Another game on the table, or `old` again.
  private begin(state: State, old: Saved | null): void {
    this.begun = old ? (old.begun ?? 0) : Date.now();
    this.engine.attach(old?.id ?? '', setupOf(state.session));
    this.take(state, 'open');
  }

  private fail(e: unknown): void {
    if (e instanceof Cancelled) return;
    if (e instanceof Refused) return this.say(told(e));
    this.failed.value = t('say.offline');
    console.error(e);
  }

  say(text: string): void {
    this.message.value = text;
    const mine = ++this.said;
    if (text) setTimeout(() => mine === this.said && (this.message.value = ''), 6000);
  }

  // --- changes

  private take(s: State, cause: Cause): void {
    const now = this.state.value;
    const moved = !now || now.session.at !== s.session.at || now.session.game !== s.session.game || cause === 'open';
    batch(() => {
      if (moved) {
        this.epoch++;
        this.before.value = now && now.session.game === s.session.game && cause !== 'open' ? now.view : null;
        this.analysis.value = null;
        this.times.value = 1;
        this.hint.value = null;
        this.preview.value = null;
      }
      this.cause.value = cause;
      this.state.value = s;
      if (s.swap2 && this.swap.value) {
        const done = this.swapping.value && s.swap2.step === 'done' && s.swap2.black === 1 && cause !== 'open';
        if (done) this.seats.value = [this.seats.value[1], this.seats.value[0]];
        this.swap.value = { ...s.swap2, choices: this.swap.value.choices };
      }
      const [a, b] = s.session.result.score;
      if (s.session.result.end !== 'none' && a !== undefined && b !== undefined) {
        const discs = (s.view as CellsView).discs;
        this.finals.value = new Map(this.finals.value).set(s.session.at, { score: a, margin: discs ? discs[0] - discs[1] : null });
      }
    });
    if (moved) this.clocks.moved(cause === 'play' || cause === 'agent' ? (now?.session.seat ?? -1) : -1);
    this.run();
    this.save();
    if (moved) this.go();
  }

  private save(): void {
    const s = this.session.value;
    if (!s) return;
    const end = this.ended.value;
    const clock = this.clocks.kept();
    const id = this.engine.place();
    const moves = this.line.value.slice(1).map((n) => n.move ?? '');
    this.begun = keep(saved(s, { seats: this.seats.value, level: this.level.value, flip: this.flip.value, begun: this.begun, ...(this.swap.value ? { swap: this.swap.value.choices } : {}), ...(id ? { id } : {}), ...(end ? { end } : {}), ...(clock ? { clock } : {}) }));
    const begun = this.begun;
    if (moves.length > 1)
      this.settled = this.engine.keep({ setup: setupOf(s), moves }, this.seats.value.slice(0, this.def.value.sides.length), end ?? null).then((place) => {
        if (place !== id) placed(s.game, begun, place);
        if (place !== id && begun === this.begun) this.save();
      });
    if (unstored.value && !id && moves.length > 0 && !this.warned) {
      this.warned = true;
      this.say(t('stored.not'));
    }
  }

  // Clocks run at the end of the line while somebody has to move.
  private run(): void {
    const s = this.session.value;
    this.clocks.run(s && !this.over.value && this.isLeaf.value && !this.paused.value && s.ply > 0 && !this.swapping.value ? s.seat : -1);
  }

  setClock(c: Clock | null): void {
    this.clocks.set(c);
    this.run();
    this.save();
  }

  private async flag(seat: number): Promise<void> {
    await this.finish('flag', seat);
  }

  resign(): Promise<void> {
    const seat = this.you.value >= 0 ? this.you.value : (this.session.value?.seat ?? 0);
    return this.finish('resign', seat);
  }
  private async finish(how: 'resign' | 'flag', seat: number): Promise<void> {
    const s = this.session.value;
    if (!s || this.over.value) return;
    this.stopAll();
    try {
      const state = await this.engine.calls([{ verb: how, args: { seat } }]);
      this.ended.value = { how, seat, at: s.nodes.findIndex((n) => n.id === s.at) };
      this.epoch++;
      this.take(state, 'jump');
    } catch (e) {
      this.fail(e);
    }
  }

  private stopAll(): void {
    this.job?.cancel();
    this.job = null;
    batch(() => {
      this.thinking.value = this.analysing.value = this.hinting.value = false;
      this.reviewing.value = null;
    });
  }

  // Whoever is asked next: the agent to move, else the engine that looks on.
  go(): void {
    this.stopAll();
    const s = this.session.value;
    if (!s || this.over.value) return;
    if (s.legal.length === 1 && /^pass$/i.test(s.legal[0]!) && this.turnOf.value === 'human' && this.isLeaf.value) {
      const epoch = this.epoch;
      this.say(`${this.who(s.seat)}: ${t('moves.pass')}`);
      void wait(900).then(() => (epoch === this.epoch ? this.play(s.legal[0]!) : undefined));
      return;
    }
    const swap = this.swapping.value;
    if (swap) {
      if (this.turnOf.value !== 'human' && this.isLeaf.value) void this.answer((spec) => this.engine.swap2(this.question(), spec, swap.choices), (a) => this.choose(a.choice ?? '', a.moves));
    } else if (this.turnOf.value !== 'human') {
      if (!this.paused.value && this.isLeaf.value) void this.answer((spec) => this.engine.choose(this.question(), spec), async ({ move }) => this.take(await this.engine.calls(this.withSwap([{ verb: 'play', args: { move } }])), 'agent'));
      else if (this.engineOn.value) void this.analyse();
    } else if (this.engineOn.value) void this.analyse();
  }

  private async answer<T>(ask: (spec: string) => Thinking<T>, then: (answer: T) => Promise<void>): Promise<void> {
    const epoch = this.epoch;
    const begun = performance.now();
    const job = ask(this.turnOf.value);
    this.job = job;
    this.thinking.value = true;
    try {
      const found = await job.answer;
      await wait(Math.max(0, PAUSE - (performance.now() - begun)));
      if (epoch !== this.epoch || this.job !== job) return;
      this.thinking.value = false;
      sound.place();
      await then(found);
    } catch (e) {
      if (epoch === this.epoch) this.thinking.value = false;
      this.fail(e);
    }
  }

  private async analyse(): Promise<void> {
    const epoch = this.epoch;
    const node = this.session.value!.at;
    const def = this.def.value;
    let noted = 0;
    this.analysing.value = true;
    const hear = (a: Analysis, final: boolean) => {
      if (epoch !== this.epoch || !this.engineOn.value) return;
      const best = a.moves[0];
      // A longer search begins from nothing: what the one before it found stays until this one has seen as much.
      if (!final && (best?.nodes ?? 0) < (this.analysis.value?.moves[0]?.nodes ?? 0)) return;
      this.analysis.value = a;
      const now = performance.now();
      if (best && best.value !== null && (final || now - noted > 600)) {
        noted = now;
        void this.note([{ node, line: best }]);
      }
    };
    const job = this.engine.analyse(this.question(), def.helper.replace(/[\d.]+$/, (n) => String(Number(n) * this.times.value)), def.lines, (a) => hear(a, false));
    this.job = job;
    try {
      hear(await job.answer, true);
    } catch (e) {
      this.fail(e);
    } finally {
      if (this.job === job) this.analysing.value = false;
    }
  }

  private async note(notes: { node: number; line?: { value: number | null; margin?: number | undefined; depth: number; nodes: number }; mark?: string | undefined }[]): Promise<void> {
    const calls = notes.map(({ node, line, mark }): { verb: string; args: Args } => ({
      verb: 'note',
      args: { node, mark, value: line?.value ?? undefined, margin: line?.margin, depth: line?.depth, nodes: line?.nodes, quiet: 1 },
    }));
    if (calls.length === 0) return;
    const epoch = this.epoch;
    const state = await this.engine.calls([...calls, { verb: 'state', args: {} }]);
    if (epoch !== this.epoch) return;
    this.state.value = { ...state, view: this.state.value!.view };
    this.save();
  }

  // --- what people do

  forbidden(move: string): boolean {
    const view = this.state.value?.view as CellsView | undefined;
    const f = view?.forbidden?.find((p) => p.at === move);
    if (!f) return false;
    this.say(t('renju.refused', { at: move, kind: t(`renju.${f.kind}`), why: t(`renju.${f.kind}.why`) }));
    sound.refuse();
    return true;
  }

  async play(move: string): Promise<void> {
    if (this.acting || !this.yourTurn.value || this.forbidden(move)) return;
    await this.act([{ verb: 'play', args: { move } }], 'play');
    sound.place();
  }

  private async act(calls: { verb: string; args?: Args }[], cause: Cause): Promise<void> {
    if (this.acting) return;
    this.acting = true;
    this.message.value = '';
    try {
      const state = await this.engine.calls(this.withSwap(calls));
      this.stopAll();
      if (this.ended.value && state.session.result.end === 'none') this.ended.value = null; // the session forgets it, too
      this.take(state, cause);
    } catch (e) {
      this.fail(e);
    } finally {
      this.acting = false;
    }
  }

  undo(): Promise<void> {
    if (this.mode.value === 'watch') this.paused.value = true;
    const seat = this.swapping.value ? -1 : this.you.value;
    return this.act([seat >= 0 ? { verb: 'undo', args: { seat } } : { verb: 'back' }], 'jump');
  }
  redo(): Promise<void> {
    const seat = this.you.value;
    return this.act([seat >= 0 ? { verb: 'redo', args: { seat } } : { verb: 'forward' }], 'jump');
  }
  back = (): Promise<void> => this.act([{ verb: 'back' }], 'jump');
  forward = (): Promise<void> => this.act([{ verb: 'forward' }], 'jump');
  goto = (node: number): Promise<void> => this.act([{ verb: 'goto', args: { node } }], 'jump');
  promote = (node: number): Promise<void> => this.act([{ verb: 'promote', args: { node } }], 'jump');
  remove = (node: number): Promise<void> => this.act([{ verb: 'delete', args: { node } }], 'jump');
  async askHint(): Promise<void> {
    if (!this.yourTurn.value || this.hinting.value || this.swapping.value) return;
    const best = this.analysis.value?.moves[0];
    if (best) {
      this.hint.value = best;
      return;
    }
    this.stopAll();
    const epoch = this.epoch;
    const job = this.engine.choose(this.question(), this.def.value.reviewer || this.def.value.helper);
    this.job = job;
    this.hinting.value = true;
    try {
      const line = await job.answer;
      if (epoch === this.epoch) this.hint.value = line;
    } catch (e) {
      this.fail(e);
    } finally {
      if (this.job === job) this.hinting.value = false;
    }
    if (epoch === this.epoch && this.engineOn.value) void this.analyse();
  }

  deepen(): void {
    if (!this.canDeepen.value) return;
    this.times.value *= 10;
    void this.analyse();
  }

  setEngine(on: boolean): void {
    this.engineOn.value = on;
    this.times.value = 1;
    if (!on) this.analysis.value = null;
    if (this.thinking.value) return; // the opponent goes on
    this.go();
  }

  setFlip(): void {
    this.flip.value = !this.flip.value;
    this.save();
  }

  setPaused(on: boolean): void {
    this.paused.value = on;
    this.run();
    this.go();
  }

  // Any agent in the place of the levels; '' gives the level back.
  setAgent(spec: string, seat?: number): void {
    const text = spec === '' ? String(this.level.value) : spec;
    this.seats.value = this.seats.value.map((s, i) => (s === 'human' || (seat !== undefined && seat !== i) ? s : text)) as [string, string];
    this.save();
    this.go();
  }

  private seatsFor(mode: Mode): [string, string] {
    const level = String(this.level.value);
    if (mode === 'first') return ['human', level];
    if (mode === 'second') return [level, 'human'];
    return mode === 'watch' ? [level, level] : ['human', 'human'];
  }

  setMode(mode: Mode): void {
    this.setSeats(this.seatsFor(mode));
  }

  setSeats(seats: [string, string]): void {
    this.seats.value = seats;
    this.paused.value = false;
    this.save();
    this.go();
  }

  setLevel(level: number, seat?: number): void {
    this.level.value = level;
    const seats = this.seats.value.map((s, i) => (s === 'human' || (seat !== undefined && seat !== i) ? s : String(level)));
    this.seats.value = seats as [string, string];
    this.save();
    if (this.thinking.value) this.go();
  }

  // The board after the first moves of a line, while the pointer is on it.
  async showLine(line: Line | null): Promise<void> {
    if (!line) {
      this.preview.value = null;
      return;
    }
    const q = this.question();
    const moves = movesOf(line.line);
    const all = moves[0] === line.move ? moves : [line.move, ...moves];
    const epoch = this.epoch;
    for (let n = Math.min(all.length, 12); n > 0; n--) {
      try {
        const s = await this.engine.preview({ setup: q.setup, moves: [...q.moves, ...all.slice(0, n)] });
        if (epoch === this.epoch) this.preview.value = { view: s.view, moves: all.slice(0, n), from: q.moves.length };
        return;
      } catch {
        // A line may end with words; show what can be played of it.
      }
    }
  }

  look(move: string): Promise<{ view?: View }> {
    return this.engine.look(move);
  }
  lookSteps = (move: string) => this.engine.look(move);

  // --- review

  async runReview(): Promise<void> {
    const s = this.session.value;
    const def = this.def.value;
    if (!s || !def.reviewer) return;
    const line = this.line.value;
    if (line.length < 3) return this.say(t('review.short'));
    this.stopAll();
    const q: Question = { setup: setupOf(s), moves: line.slice(1).map((n) => n.move ?? '') };
    this.reviewing.value = { done: 0, all: line.length - 1 };
    const job = this.engine.review(q, def.reviewer, (done, all) => {
      if (this.job === job) this.reviewing.value = { done, all };
    });
    this.job = job;
    try {
      const r = await job.answer;
      this.reviewing.value = null;
      this.review.value = r;
      await this.note(
        r.positions.slice(0, line.length).map((p, i) => ({
          node: line[i]!.id,
          mark: r.moves[i - 1]?.mark,
          ...(p.value === undefined ? {} : { line: { value: p.value, margin: p.margin, depth: p.depth ?? 0, nodes: p.nodes ?? 0 } }),
        })),
      );
    } catch (e) {
      this.fail(e);
    } finally {
      if (this.job === job) this.reviewing.value = null;
    }
    this.go();
  }

  stopReview(): void {
    this.stopAll();
    this.go();
  }

  // Back to the position before a mistake, with the one who made it to move.
  async retry(ply: number): Promise<void> {
    const m = this.review.value?.moves[ply - 1];
    const node = this.line.value[ply - 1];
    if (!m || !node) return;
    if (this.mode.value !== 'people') this.seats.value = this.seatsFor(m.seat === 0 ? 'first' : 'second');
    await this.goto(node.id);
  }

  link = (): string => link(setupOf(this.session.value!), this.path.value.slice(1).map((n) => n.move ?? ''));
  async exported(format: string): Promise<string> {
    const names = this.def.value.sides.length === 2 ? { firstName: this.who(0), secondName: this.who(1) } : { firstName: this.who(0) };
    await this.engine.calls([{ verb: 'seats', args: { ...names, quiet: 1 } }]);
    return this.engine.exported(format);
  }
}
