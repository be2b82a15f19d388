// Benches on the server: the list, one bench followed while it is played, and its games.
import { signal } from '@preact/signals';
import { at, back, get, listen, Lost, post, until } from '../../engine/api';
import { told } from '../../ui/i18n';
import type { Page } from '../train/runs';

export interface Player {
  name: string;
  agent: string;
  rating?: number;
  low?: number;
  high?: number;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  thinkMs: number;
}
export interface Status {
  game: string;
  playing: boolean;
  complete: boolean;
  played: number;
  planned: number;
  players: Player[];
  sprt?: { llr: number; lower: number; upper: number; verdict: string };
  notes: string[];
}
export interface BenchItem {
  name: string;
  mine: boolean;
  status: Status;
}
export interface Pairing {
  a: number;
  b: number;
  wins: number;
  draws: number;
  losses: number;
  score: number;
  elo: number | null;
  low: number | null;
  high: number | null;
  pairs?: number[]; // of games with sides swapped, by a's points: 0, ½, 1, 1½, 2
}
export interface Bench extends BenchItem {
  setup: Record<string, string | number | boolean | null>;
  pairings: Pairing[];
  sprt?: { elo0: number; elo1: number; alpha: number; beta: number; llr: number; lower: number; upper: number; verdict: 'accepted' | 'rejected' | 'undecided'; history: [number, number][] };
  message?: string | null;
}
export interface BenchGame {
  number: number;
  first: string;
  second: string;
  score: number;
  reason: string;
  plies: number;
  opening: string;
}
export interface RecordedGame extends BenchGame {
  game: string;
  moves: string;
  text: string;
}

export const benches = signal<BenchItem[] | null>(null);

export async function refresh(): Promise<void> {
  try {
    benches.value = (await get<Page<BenchItem>>('benches?limit=100')).items;
  } catch (e) {
    if (!(e instanceof Lost)) throw e;
  }
}

export async function start(options: Record<string, string>): Promise<{ name: string }> {
  const made = await post<{ name: string }>('benches', { options });
  await until(refresh, () => benches.value?.some((b) => b.name === made.name && b.status.game));
  return made;
}
export const stop = (name: string): Promise<unknown> => post(`benches/${at(name)}/stop`);
export async function resume(name: string): Promise<void> {
  await post(`benches/${at(name)}/resume`);
  void until(refresh, () => benches.value?.some((b) => b.name === name && b.status.playing));
}
export const gamesOf = (name: string, from: number, limit: number, player: string): Promise<Page<BenchGame>> =>
  get(`benches/${at(name)}/games?from=${from}&limit=${limit}${player ? `&player=${at(player)}` : ''}`);
export const gameOf = (name: string, n: number): Promise<RecordedGame> => get(`benches/${at(name)}/games/${n}`);

export class Followed {
  readonly bench = signal<Bench | null>(null);
  readonly failed = signal('');
  private end: () => void = () => {};
  private closed = false;

  constructor(readonly name: string) {
    void this.open();
  }

  async open(): Promise<void> {
    while (!this.closed) {
      try {
        this.bench.value = await get<Bench>(`benches/${at(this.name)}`);
        if (this.bench.value.status.playing) this.follow();
        return;
      } catch (e) {
        if (!(e instanceof Lost)) return void (this.failed.value = told(e));
        await back();
      }
    }
  }

  private follow(): void {
    if (this.closed) return;
    this.end();
    this.end = listen(`benches/${at(this.name)}/events`, {
      bench: (b: Bench) => (this.bench.value = b),
      done: () => {
        this.end();
        void get<Bench>(`benches/${at(this.name)}`).then((b) => (this.bench.value = b)).catch(() => undefined);
        void refresh().catch(() => undefined);
      },
      closed: () => !this.closed && void back().then(() => this.open()),
    });
  }

  close(): void {
    this.closed = true;
    this.end();
  }
}
