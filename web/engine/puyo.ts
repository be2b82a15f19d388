// The engine of the Puyo views: advice, practice, simulations, chains of an edited field, and matches in frames (app/puyo_call.h).
// Two workers of its own, as in engine.ts: one for rules, which answer within a frame, one that thinks and simulates.
import { compile, Port } from './engine';
import type { Line, PuyoSide, PuyoSteps, State } from './types';
import type { Args } from './wasm';

export interface Placement {
  move: string;
  cells: [number, number, number, number]; // main puyo's column and row, the other's; rows from 1, 14 vanishes
}

export interface LiveAnswer {
  sides: (PuyoSide & { due?: boolean })[];
  events: { chain: number; sent: number; received: number; allClear: boolean }[];
  hands: { placements?: Placement[] }[];
  over: boolean;
  score: number[];
  steps?: PuyoSteps;
  landed?: number;
  frames?: { next: number; rest: number; fast: number };
}

export interface Candidate {
  move: string;
  cells: [number, number][];
  total: number;
  chance?: number;
  scores: Record<string, number>;
  weighted: Record<string, number>;
  colours?: { A: string; B: string };
  matched: [number, number][];
  chain: number;
}

export interface Advice {
  field: string;
  pair: string;
  next: string[];
  mode: 'seed' | 'plus';
  phase: 'fold-building' | 'chain-tail' | 'completion';
  template: [number, number, string][]; // column and row from 1, letter
  tail?: { possible: number; filled: number; missing: number; nearest?: string; groups: Record<string, number> };
  advice: Candidate | null;
  candidates: Candidate[];
}

export interface Practised {
  turn: number;
  turns: number;
  folded: number;
  points: number;
  over: boolean;
  steps?: PuyoSteps;
  advice: Advice;
}

export interface Simulated {
  turns: number;
  games: number;
  successes: number;
  taken: number;
  low: number;
  high: number;
  failures: Record<string, number>;
}

export interface Chained {
  field: string;
  url: string;
  links: PuyoSteps['links'];
}

export class PuyoEngine {
  private readonly module = compile();
  private readonly rules = new Port(this.module);
  private readonly mind = new Port(this.module);

  constructor() {
    this.rules.warm();
  }

  ask<T>(verb: string, args: Args = {}): Promise<T> {
    return this.rules.ask({ kind: 'puyo', verb, args });
  }

  // Takes its time; the rules are not kept waiting.
  simulate(args: Args): Promise<Simulated> {
    return this.mind.ask({ kind: 'puyo', verb: 'simulate', args });
  }

  solo(calls: { verb: string; args: Args }[]): Promise<State> {
    return this.rules.ask({ kind: 'calls', calls: calls.map((c) => ({ which: 0, ...c })) });
  }

  async choose(position: string, agent: string): Promise<string> {
    const a = await this.mind.ask<{ choice: Line }>({
      kind: 'calls',
      calls: [
        { which: 0, verb: 'new', args: { game: 'puyo', position, quiet: 1 } },
        { which: 0, verb: 'choose', args: { agent } },
      ],
    });
    return a.choice.move;
  }
}
