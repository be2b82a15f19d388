// keiko.wasm as an object: calls with named texts, answers as JSON. Runs in a worker of the page and under node alike.
//
// The module asks for a few WASI functions: a clock, random numbers, and writing to a stream. There are no files: what the
// engine may read is handed over by file().

export interface Hooks {
  lines?(json: string): void; // best moves so far, while an agent thinks
  progress?(done: number, all: number): void; // of a review
  stopped?(): boolean; // shall it answer at once?
  log?(text: string): void; // what it writes to its streams
}

interface Exports {
  memory: WebAssembly.Memory;
  _initialize?(): void;
  keiko_alloc(size: number): number;
  keiko_free(at: number): void;
  keiko_text(): number;
  keiko_file(name: number, data: number, size: number): void;
  keiko_call(which: number, verb: number, args: number, n: number): number;
  keiko_puyo(verb: number, args: number, n: number): number;
  keiko_close(which: number): void;
  keiko_list(what: number, game: number): number;
  keiko_perft(game: number, depth: number): number;
}

export type Args = Record<string, string | number | undefined>;

export class EngineError extends Error {}

const BADF = 8;
const NOSYS = 52;

function pack(args: Args): [string, number] {
  const pairs = Object.entries(args).filter(([, v]) => v !== undefined);
  return [pairs.map(([k, v]) => `${k}\0${String(v).replaceAll('\0', ' ')}`).join('\0'), pairs.length];
}

export class Keiko {
  private constructor(private readonly x: Exports) {}

  static async open(source: WebAssembly.Module | BufferSource, hooks: Hooks = {}): Promise<Keiko> {
    let x: Exports;
    const decoder = new TextDecoder();
    const view = () => new DataView(x.memory.buffer);
    const text = (at: number) => {
      const bytes = new Uint8Array(x.memory.buffer, at);
      return decoder.decode(bytes.slice(0, bytes.indexOf(0)));
    };
    const wasi = {
      clock_time_get(_id: number, _precision: bigint, out: number) {
        view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
      clock_res_get(_id: number, out: number) {
        view().setBigUint64(out, 1000n, true);
        return 0;
      },
      random_get(at: number, size: number) {
        crypto.getRandomValues(new Uint8Array(x.memory.buffer, at, size));
        return 0;
      },
      environ_sizes_get(count: number, size: number) {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      environ_get: () => 0,
      args_sizes_get(count: number, size: number) {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      args_get: () => 0,
      fd_write(_fd: number, vectors: number, n: number, written: number) {
        let all = 0;
        let said = '';
        for (let i = 0; i < n; i++) {
          const at = view().getUint32(vectors + 8 * i, true);
          const size = view().getUint32(vectors + 8 * i + 4, true);
          said += decoder.decode(new Uint8Array(x.memory.buffer, at, size).slice());
          all += size;
        }
        view().setUint32(written, all, true);
        hooks.log?.(said);
        return 0;
      },
      proc_exit(code: number): never {
        throw new EngineError(`the engine ended itself (${code})`);
      },
    };
    // Functions of files that the C library links but that find nothing here.
    const absent = (name: string) => (name.startsWith('fd_') || name.startsWith('path_') ? () => BADF : () => NOSYS);
    const host = {
      lines: (at: number) => hooks.lines?.(text(at)),
      stopped: () => (hooks.stopped?.() ? 1 : 0),
      progress: (done: number, all: number) => hooks.progress?.(done, all),
    };
    const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
    const imports: Record<string, Record<string, WebAssembly.ImportValue>> = { keiko: host };
    for (const i of WebAssembly.Module.imports(module)) {
      if (i.module === 'keiko') continue;
      const have = (wasi as unknown as Record<string, WebAssembly.ImportValue>)[i.name];
      (imports[i.module] ??= {})[i.name] = have ?? absent(i.name);
    }
    const instance = await WebAssembly.instantiate(module, imports);
    x = instance.exports as unknown as Exports;
    x._initialize?.();
    return new Keiko(x);
  }

  // Copies texts in, runs, frees.
  private with<T>(texts: string[], run: (...at: number[]) => T): T {
    const encoder = new TextEncoder();
    const at = texts.map((t) => {
      const bytes = encoder.encode(t);
      const p = this.x.keiko_alloc(bytes.length + 1);
      const room = new Uint8Array(this.x.memory.buffer, p, bytes.length + 1);
      room.set(bytes);
      room[bytes.length] = 0;
      return p;
    });
    try {
      return run(...at);
    } finally {
      for (const p of at) this.x.keiko_free(p);
    }
  }

  private answer(status: number): string {
    const at = this.x.keiko_text();
    const bytes = new Uint8Array(this.x.memory.buffer, at);
    const text = new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    if (status !== 0) throw new EngineError(text);
    return text;
  }

  callText(which: number, verb: string, args: Args = {}): string {
    const [packed, n] = pack(args);
    return this.answer(this.with([verb, packed], (v, a) => this.x.keiko_call(which, v!, a!, n)));
  }

  puyo<T>(verb: string, args: Args = {}): T {
    const [packed, n] = pack(args);
    return JSON.parse(this.answer(this.with([verb, packed], (v, a) => this.x.keiko_puyo(v!, a!, n)))) as T;
  }

  call<T>(which: number, verb: string, args: Args = {}): T {
    return JSON.parse(this.callText(which, verb, args)) as T;
  }

  close(which: number): void {
    this.x.keiko_close(which);
  }

  list<T>(what: 'games' | 'agents' | 'levels', game = ''): T {
    return JSON.parse(this.answer(this.with([what, game], (w, g) => this.x.keiko_list(w!, g!)))) as T;
  }

  perft(game: string, depth: number): number {
    return this.with([game], (g) => this.x.keiko_perft(g!, depth));
  }

  // The engine keeps the bytes for ever.
  file(name: string, data: Uint8Array): void {
    const at = this.x.keiko_alloc(data.length);
    new Uint8Array(this.x.memory.buffer, at, data.length).set(data);
    this.with([name], (n) => this.x.keiko_file(n!, at, data.length));
  }
}
