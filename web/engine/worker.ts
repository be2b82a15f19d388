// The engine's worker: owns one keiko.wasm and answers messages in order. It knows no games and no views.
import { Keiko, EngineError, type Args } from './wasm';

export type Call = { which: number; verb: string; args: Args };
export type Request =
  | { id: number; kind: 'open'; module: WebAssembly.Module; flag: SharedArrayBuffer | null }
  | { id: number; kind: 'calls'; calls: Call[] } // the answer is the last one's
  | { id: number; kind: 'puyo'; verb: string; args: Args }
  | { id: number; kind: 'list'; what: 'games' | 'agents' | 'levels'; game: string }
  | { id: number; kind: 'file'; name: string; data: ArrayBuffer };
export type Reply =
  | { id: number; kind: 'answer'; value: unknown }
  | { id: number; kind: 'error'; message: string; refused: boolean }
  | { id: number; kind: 'lines'; value: unknown }
  | { id: number; kind: 'progress'; done: number; all: number };

let keiko: Keiko | null = null;
let current = 0;
let flag: Int32Array | null = null;
const post = (r: Reply) => self.postMessage(r);

async function open(module: WebAssembly.Module): Promise<void> {
  keiko = await Keiko.open(module, {
    lines: (json) => post({ id: current, kind: 'lines', value: JSON.parse(json) }),
    progress: (done, all) => post({ id: current, kind: 'progress', done, all }),
    stopped: () => flag !== null && Atomics.load(flag, 0) !== 0,
    log: (text) => console.info(text),
  });
}

async function handle(m: Request): Promise<unknown> {
  if (m.kind === 'open') {
    flag = m.flag ? new Int32Array(m.flag) : null;
    return open(m.module);
  }
  if (keiko === null) throw new Error('the engine is not loaded');
  if (m.kind === 'list') return keiko.list(m.what, m.game);
  if (m.kind === 'puyo') return keiko.puyo(m.verb, m.args);
  if (m.kind === 'file') return keiko.file(m.name, new Uint8Array(m.data));
  let text = 'null';
  for (const c of m.calls) text = keiko.callText(c.which, c.verb, c.args);
  return JSON.parse(text);
}

let queue: Promise<void> = Promise.resolve();
self.onmessage = (e: MessageEvent<Request>) => {
  const m = e.data;
  queue = queue.then(async () => {
    current = m.id;
    try {
      post({ id: m.id, kind: 'answer', value: await handle(m) });
    } catch (x) {
      post({ id: m.id, kind: 'error', message: x instanceof Error ? x.message : String(x), refused: x instanceof EngineError });
    }
  });
};
