// Training runs on the server: the list, and one run followed row by row while it learns.
import { batch, signal } from '@preact/signals';
import { at, back, get, link, listen, Lost, post, until } from '../../engine/api';
import { told } from '../../ui/i18n';

export interface RunState {
  game: string;
  algo: string;
  began: string;
  running: boolean;
  ended?: string | null;
  step: number;
  seconds: number;
  limit_seconds?: number | null;
  left?: number | null;
  games_s?: number | null;
  positions_s?: number | null;
  elo?: { elo: number; low: number; high: number; step: number; best: number } | null;
}
export interface RunItem {
  name: string;
  mine: boolean;
  state: RunState;
}
export interface Network {
  file: string;
  agent: string;
  bytes: number;
  age: number;
  step?: number;
  elo?: number;
}
export interface RunInfo extends RunItem {
  options: Record<string, string>;
  networks: Network[];
  message?: string | null;
}
export type Row = { kind: string; step: number; seconds: number } & Record<string, number | string | null>;
export interface Page<T> {
  items: T[];
  total: number;
  from: number;
}
export interface OptionRow {
  name: string;
  kind: string;
  default: string | null;
  help: string;
  group?: string;
  choices?: string[];
}

export const runs = signal<RunItem[] | null>(null);

export async function refresh(): Promise<void> {
  try {
    runs.value = (await get<Page<RunItem>>('runs?limit=100')).items;
  } catch (e) {
    if (!(e instanceof Lost)) throw e;
  }
}

export async function start(game: string, options: Record<string, string>): Promise<{ name: string }> {
  const made = await post<{ name: string }>('runs', { game, options });
  await until(refresh, () => runs.value?.some((r) => r.name === made.name && r.state.game));
  return made;
}
export const stop = (name: string): Promise<unknown> => post(`runs/${at(name)}/stop`);
export async function resume(name: string, minutes: string): Promise<void> {
  await post(`runs/${at(name)}/resume`, { options: { minutes } });
  void until(refresh, () => runs.value?.some((r) => r.name === name && r.state.running));
}
export const optionsOf = async (game: string): Promise<OptionRow[]> => (await get<{ items: OptionRow[] }>(`options?what=train&game=${at(game)}`)).items;

export class Run {
  readonly rows = signal<Row[]>([]);
  readonly info = signal<RunInfo | null>(null);
  readonly failed = signal('');
  private coming: Row[] = [];
  private end: () => void = () => {};
  private closed = false;
  private timer = 0;

  constructor(readonly name: string) {
    void this.open();
  }

  private async open(): Promise<void> {
    while (!this.closed) {
      try {
        await this.load();
        return this.follow();
      } catch (e) {
        if (!(e instanceof Lost)) return void (this.failed.value = told(e));
        await back();
      }
    }
  }

  private async load(): Promise<void> {
    this.info.value = await get<RunInfo>(`runs/${at(this.name)}`);
    const all: Row[] = [];
    for (;;) {
      const page = await get<Page<Row>>(`runs/${at(this.name)}/log?from=${all.length}&limit=1000`);
      all.push(...page.items);
      if (page.items.length === 0 || all.length >= page.total) break;
    }
    this.rows.value = all;
  }

  // Rows come one by one; the view sees them a few times per second.
  private take(row: Row): void {
    this.coming.push(row);
    if (this.timer) return;
    this.timer = window.setTimeout(() => {
      this.timer = 0;
      const more = this.coming;
      this.coming = [];
      this.rows.value = [...this.rows.value, ...more];
    }, 250);
  }

  private follow(): void {
    if (this.closed) return;
    this.end();
    const put = (part: Partial<RunInfo>) => this.info.value && (this.info.value = { ...this.info.value, ...part });
    let ended = !this.info.value?.state.running;
    this.end = listen(`runs/${at(this.name)}/events?from=${this.rows.value.length + this.coming.length}`, {
      row: (r: Row) => this.take(r),
      state: (s: RunState | { state: RunState }) => put({ state: 'state' in s ? s.state : s }),
      networks: (n: { networks: Network[] }) => put(n),
      reset: () => {
        this.coming = [];
        this.rows.value = [];
      },
      done: () => {
        ended = true;
        this.end();
        void this.again();
      },
      closed: () => {
        if (ended || this.closed) return;
        void back().then(() => this.open());
      },
    });
  }

  // It has ended, or goes on.
  async again(): Promise<void> {
    if (this.closed) return;
    try {
      batch(() => (this.failed.value = ''));
      this.info.value = await get<RunInfo>(`runs/${at(this.name)}`);
      if (this.info.value.state.running) this.follow();
      await refresh();
    } catch (e) {
      if (link.value === 'here') this.failed.value = told(e);
    }
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.end();
  }
}
