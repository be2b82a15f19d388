// The engine of a page that has a server: rules stay in the page, where they answer within a frame; the server thinks, on all
// its cores, in a session that it does not store. Another session follows the game and is stored.
//
// A server that goes away takes no game with it: an agent that the page has as well goes on in the page, any other question
// waits until the server is back and is asked again.
import { at, back, link, listen, Lost, post } from './api';
import { LocalEngine, setupArgs, type Engine, type Keeper, type Question, type Thinking } from './engine';
import { Queue } from './queue';
import { Cancelled, Refused } from './refused';
import type { AgentRow, Analysis, Line, Review, Session, Setup, Swap } from './types';
import type { Args } from './wasm';

type Hear = { lines?: (a: Analysis) => void; progress?: (done: number, all: number) => void };
type Body = Record<string, string>;

const texts = (args: Args): Body => Object.fromEntries(Object.entries(args).filter(([, v]) => v !== undefined).map(([k, v]) => [k, String(v)]));

// One session on the server, opened when first asked and again where it is gone.
class Seat {
  id = '';
  private known = '';
  private stopping = false;

  // `fresh`: without the lines that were asked about before.
  constructor(private readonly fresh = false) {}

  private async open(q: Question): Promise<void> {
    const setup = JSON.stringify(q.setup);
    if (this.id === '' || (this.known !== setup && !this.fresh)) {
      this.id = (await post<{ id: string }>('sessions', texts({ ...setupArgs(q), scratch: 1, quiet: 1 }))).id;
      this.known = setup;
      return;
    }
    try {
      if (this.fresh) await post(`sessions/${at(this.id)}/new`, texts({ ...setupArgs(q), quiet: 1 }));
      else await post(`sessions/${at(this.id)}/line`, texts({ moves: q.moves.join(';'), quiet: 1 }));
    } catch (e) {
      if (!(e instanceof Refused) || e.status !== 404) throw e;
      this.id = '';
      return this.open(q);
    }
  }

  async ask<T>(q: Question, verb: string, args: Args, hear: Hear, wanted: () => boolean): Promise<T> {
    for (;;) {
      let end = () => {};
      try {
        await this.open(q);
        if (hear.lines || hear.progress)
          end = listen(`sessions/${at(this.id)}/events`, {
            lines: (a: Analysis) => hear.lines?.(a),
            progress: (p: { done: number; all: number }) => hear.progress?.(p.done, p.all),
          });
        if (!wanted()) throw new Cancelled('cancelled');
        return await post<T>(`sessions/${at(this.id)}/${verb}`, texts(args));
      } catch (e) {
        if (!wanted()) throw new Cancelled('cancelled');
        if (e instanceof Refused && (e.status === 409 || e.status === 503)) await new Promise((done) => setTimeout(done, 200));
        else if (e instanceof Lost) await back();
        else throw e;
      } finally {
        end();
      }
    }
  }

  async stop(): Promise<void> {
    if (this.id === '' || this.stopping) return;
    this.stopping = true;
    await post(`sessions/${at(this.id)}/stop`).catch(() => undefined);
    this.stopping = false;
  }
}

// The session that holds a game.
interface Place {
  id: string;
  known: string;
  kept: string;
}

// Keeps the game on the table. What was not kept of the game before it still goes to that game's own place.
class Shelf {
  place: Place = { id: '', known: '', kept: '' };
  private turn: Promise<void> = Promise.resolve();

  attach(id: string, setup: Setup): void {
    this.place = { id, known: JSON.stringify(setup), kept: '' };
  }

  private async put(p: Place, q: Question, seats: Args, end: { how: string; seat: number } | null): Promise<void> {
    const setup = JSON.stringify(q.setup);
    const say = (verb: string, args: Args) => post(`sessions/${at(p.id)}/${verb}`, texts({ ...args, quiet: 1 }));
    if (p.id !== '' && p.known === setup) {
      await say('line', { moves: q.moves.join(';') });
      await say('seats', seats);
    } else {
      p.id = (await post<{ id: string }>('sessions', texts({ ...setupArgs(q), ...seats, quiet: 1 }))).id;
      p.known = setup;
    }
    if (end) await say(end.how, { seat: end.seat });
  }

  // Resolves with the session's id. What is lost here is still in this browser.
  keep(q: Question, seats: string[], end: { how: string; seat: number } | null): Promise<string> {
    const p = this.place;
    const now = JSON.stringify([q, seats, end]);
    const put = () => this.put(p, q, { first: seats[0], second: seats[1] }, end);
    if (now !== p.kept) {
      p.kept = now;
      this.turn = this.turn.then(async () => {
        if (p.kept !== now) return; // there is something newer
        await put().catch(async (e: unknown) => {
          if (!(e instanceof Refused) || e.status !== 404) return void (p.kept = ''); // with the next change
          p.id = '';
          await put().catch(() => undefined);
        });
      });
    }
    return this.turn.then(() => p.id);
  }
}

export class PageEngine implements Engine, Keeper {
  private readonly local = new LocalEngine();
  private readonly line = new Seat();
  private readonly past = new Seat(true);
  private readonly shelf = new Shelf();
  private asked = 0;
  private readonly queue = new Queue(
    () => {},
    () => {
      this.asked++;
      void this.line.stop();
      void this.past.stop();
    },
  );
  private known: Promise<Set<string>> | null = null;

  calls: Engine['calls'] = (calls) => this.local.calls(calls);
  look: Engine['look'] = (move) => this.local.look(move);
  preview: Engine['preview'] = (q) => this.local.preview(q);
  replay: Engine['replay'] = (game, text, ply) => this.local.replay(game, text, ply);
  exported: Engine['exported'] = (format) => this.local.exported(format);
  levels: Engine['levels'] = (game) => this.local.levels(game);
  agents: Engine['agents'] = (game) => this.local.agents(game);

  attach: Keeper['attach'] = (id, setup) => this.shelf.attach(id, setup);
  place: Keeper['place'] = () => this.shelf.place.id;
  keep: Keeper['keep'] = async (q, seats, end) => (link.value === 'here' ? this.shelf.keep(q, seats, end) : this.shelf.place.id);

  // Does the page have this agent itself? Networks of runs and of the server's folders it has not.
  private async own(game: string, agent: string): Promise<boolean> {
    this.known ??= this.local.agents('').then((rows: AgentRow[]) => new Set(rows.map((r) => r.name)));
    const name = /^[a-z0-9-]*/.exec(agent)![0];
    return /^\d+$/.test(agent) || ((await this.known).has(name) && !/model=.*[/]/.test(agent) && game !== '');
  }

  private think<T>(q: Question, agent: string, verb: string, args: Args, hear: Hear, seat: Seat, here: () => Thinking<T>, pick: (a: never) => T): Thinking<T> {
    if (link.value === 'none' || link.value === 'asking') return here();
    let inner: Thinking<T> | null = null;
    let cancelled = false;
    const outer = this.queue.ask(async () => {
      const mine = ++this.asked;
      const wanted = () => mine === this.asked && !cancelled;
      const remote = () => seat.ask<never>(q, verb, args, hear, wanted).then(pick);
      // In the page; what it lacks for that (weights that were never fetched) the server has when it is back.
      const local = async (): Promise<T> => {
        inner = here();
        return inner.answer.catch((e: unknown) => {
          if (e instanceof Cancelled || !wanted()) throw e;
          return remote();
        });
      };
      if (!(await this.own(q.setup.game, agent))) return remote();
      if (link.value === 'lost') return local();
      // Whichever comes first: the server's answer, or the news that it is gone.
      let stop = () => {};
      const gone = new Promise<'gone'>((done) => {
        stop = link.subscribe((l) => l === 'lost' && done('gone'));
      });
      const asked = remote();
      const first = await Promise.race([asked, gone]).finally(() => stop());
      if (first !== 'gone') return first;
      asked.catch(() => undefined);
      return local();
    });
    return {
      answer: outer.answer,
      cancel: () => {
        cancelled = true;
        inner?.cancel();
        outer.cancel();
      },
    };
  }

  choose(q: Question, agent: string): Thinking<Line> {
    return this.think(q, agent, 'choose', { agent }, {}, this.line, () => this.local.choose(q, agent), (a: { choice: Line }) => a.choice);
  }

  swap2(q: Question, agent: string, choices: string): Thinking<Swap> {
    return this.think(q, agent, 'swap2', { agent, choices, quiet: 1 }, {}, this.line, () => this.local.swap2(q, agent, choices), (a: { swap2: Swap }) => a.swap2);
  }

  analyse(q: Question, helper: string, count: number, lines: (a: Analysis) => void): Thinking<Analysis> {
    return this.think(q, helper, 'analyse', { helper, count }, { lines }, this.line, () => this.local.analyse(q, helper, count, lines), (a: { analysis: Analysis }) => a.analysis);
  }

  review(q: Question, helper: string, progress: (done: number, all: number) => void): Thinking<Review> {
    return this.think(
      q,
      helper,
      'review',
      { helper },
      { progress },
      this.past,
      () => this.local.review(q, helper, progress),
      (a: { review: Review; session: Session }) => ({ ...a.review, positions: a.session.nodes }),
    );
  }
}
