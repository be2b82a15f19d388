// The server behind the page, if there is one: `keiko serve` adds /api/1/ to the same files. The page asks once at the start;
// a connection that was there and is lost is tried again until it comes back.
import { signal } from '@preact/signals';
import { Lost, Refused } from './refused';

export { Lost };

export interface Machine {
  static?: boolean; // written by the build of the static site: nobody answers here
  version: string;
  cores: number;
  memory: number;
  simd: string;
  gpu: string | null;
  stored: boolean;
  maxJobs: number;
  nats: boolean; // does it follow workers?
}

export type Link = 'asking' | 'none' | 'here' | 'lost';
export const link = signal<Link>('asking');
export const machine = signal<Machine | null>(null);

const BASE = 'api/1/';
const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
let returning: Promise<void> | null = null;

async function ask(): Promise<Machine | null> {
  const r = await fetch(`${BASE}machine`, { cache: 'no-store' });
  if (!r.ok) return null;
  const m = JSON.parse(await r.text()) as Machine;
  return m.static ? null : m;
}

export async function connect(): Promise<void> {
  try {
    machine.value = await ask();
  } catch {
    machine.value = null;
  }
  link.value = machine.value ? 'here' : 'none';
}

// Resolves when the server answers again. Waits grow to two seconds.
export function back(): Promise<void> {
  if (link.value !== 'lost') link.value = 'lost';
  returning ??= (async () => {
    for (let ms = 300; ; ms = Math.min(2000, ms * 1.5)) {
      await wait(ms);
      const m = await ask().catch(() => null);
      if (!m) continue;
      machine.value = m;
      link.value = 'here';
      returning = null;
      return;
    }
  })();
  return returning;
}

async function call<T>(path: string, how: RequestInit): Promise<T> {
  let r: Response;
  let text: string;
  try {
    r = await fetch(BASE + path, { cache: 'no-store', ...how });
    text = await r.text();
  } catch {
    void back();
    throw new Lost('lost');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refused(`${r.status} ${r.statusText}`);
  }
  if (!r.ok) throw new Refused((value as { error?: string }).error ?? `${r.status}`, r.status);
  return value as T;
}

export const get = <T>(path: string): Promise<T> => call<T>(path, {});
export const post = <T>(path: string, body: unknown = {}): Promise<T> =>
  call<T>(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
export const remove = (path: string): Promise<unknown> => call(path, { method: 'DELETE' });
export const at = (name: string): string => encodeURIComponent(name);

// Asks until it is so: a process needs a moment to make its folder, or to go on in it.
export async function until(ask: () => Promise<unknown>, so: () => unknown): Promise<void> {
  for (let i = 0; i < 50; i++) {
    await ask();
    if (so()) break;
    await wait(200);
  }
}

// Server-sent events: one handler per event. The browser reconnects by itself; while it cannot, the page knows of it.
export function listen(path: string, on: Record<string, (data: never) => void>): () => void {
  const source = new EventSource(BASE + path);
  for (const [name, hear] of Object.entries(on)) source.addEventListener(name, (e) => hear(JSON.parse((e as MessageEvent<string>).data) as never));
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) on['closed']?.({} as never);
  });
  return () => source.close();
}
