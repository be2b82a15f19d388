// Puyo: one or two fields on canvas. The pair hangs over the field until it is dropped; nothing falls by itself.
import { signal, useSignal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PuyoSide, PuyoView, State } from '../../engine/types';
import { Icon, type IconName } from '../../ui/icons';
import { number, t, type Key } from '../../ui/i18n';
import { calm, settings } from '../../ui/settings';
import { sound } from '../../ui/sound';
import type { Cause } from '../../views/play/known';
import { shown, type BoardProps } from '../shared';
import { cellOf, drawField, HEIGHT, palette, parse, still, WIDTH, type Grid, type Palette, type Puyo } from './field';
import { fall, finalOf, nothing, placing, same, type Scene } from './motion';

const TURNS = 'urdl';
const SUB = [[1, 0], [0, 1], [-1, 0], [0, -1]] as const; // row, column of the second puyo

// One field in motion.
class Player {
  readonly link = signal<{ n: number; score: number } | null>(null);
  readonly idle = signal(true);
  private queue: Scene[] = [];
  private begun = 0;
  private tail: Grid = nothing; // the field at the end of the queue
  private rest: Grid = nothing; // shown when nothing moves
  private held = false; // placed, but the game waits for the other side's choice
  private frame = 0;
  extra: Puyo[] = []; // the pair and its ghost
  paint: (puyos: Puyo[], joined: boolean) => void = () => {};

  update(side: PuyoSide, was: PuyoSide | undefined, state: State, mover: boolean, cause: Cause): void {
    const target = parse(side.field);
    if (!was || cause === 'open' || cause === 'jump' || calm()) {
      this.queue = [];
      this.tail = this.rest = target;
      this.held = false;
      this.link.value = null;
      this.idle.value = true;
      return this.redraw();
    }
    if (mover && state.steps) {
      this.queue.push(...placing(this.tail, state.steps));
      this.tail = finalOf(state.steps);
      this.held = side.placed === was.placed;
    } else if (side.placed !== was.placed) this.held = false;
    if (!this.held && !same(this.tail, target)) {
      this.queue.push(fall(this.tail, nothing, target, 240));
      this.tail = target;
    }
    if (this.queue.length > 0 && this.idle.value) this.start();
    else this.redraw();
  }

  private start(): void {
    this.idle.value = false;
    this.enter(performance.now());
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame((now) => this.step(now));
  }

  private enter(now: number): void {
    this.begun = now;
    const s = this.queue[0];
    if (s?.link) {
      this.link.value = s.link;
      sound.link(s.link.n);
    }
  }

  private step(now: number): void {
    let s = this.queue[0];
    while (s && now - this.begun >= s.ms) {
      this.queue.shift();
      this.enter(this.begun + s.ms);
      s = this.queue[0];
    }
    if (!s) {
      this.rest = this.tail;
      this.idle.value = true;
      const last = this.link.value;
      if (last) setTimeout(() => this.link.value === last && (this.link.value = null), 900);
      return this.redraw();
    }
    this.paint(s.draw(Math.max(0, (now - this.begun) / s.ms)), s.joined);
    this.frame = requestAnimationFrame((n) => this.step(n));
  }

  redraw(): void {
    if (this.idle.value) this.paint([...still(this.rest), ...this.extra], true);
  }

  field(): Grid {
    return this.rest;
  }
}

const shapes: Record<string, string> = { G: 'M0-13L12 9H-12z', B: 'M0-14L12 0 0 14-12 0z', Y: 'M-10-10H10V10H-10z', P: 'M0-14L4-4 14-4 6 3 9 13 0 7-9 13-6 3-14-4-4-4z' };
export const PuyoArt = ({ colour, y }: { colour: string; y: number }) => (
  <g transform={`translate(50 ${y})`}>
    <circle r="43" fill={`var(--p${colour.toLowerCase()})`} />
    {colour === 'R' ? <circle r="11" fill="#0008" /> : colour === 'O' ? <path d="M-9-9L9 9M9-9L-9 9" stroke="#0007" stroke-width="5" /> : <path d={shapes[colour] ?? ''} fill="#0008" />}
  </g>
);
export const Pair = ({ pair, size }: { pair: string; size: number }) => (
  <svg width={size} height={2 * size} viewBox="0 0 100 200" role="img" aria-label={pair}>
    <PuyoArt colour={pair[1] ?? 'O'} y={50} />
    <PuyoArt colour={pair[0] ?? 'O'} y={150} />
  </svg>
);

// Nuisance on its way, in the usual symbols, the largest first.
const SYMBOLS: [number, number, string][] = [
  [1440, 28, 'M20 80L58 42M8 60L40 34M40 92L66 60M64 14a24 24 0 110 46 24 24 0 010-46z'], // comet
  [720, 28, 'M12 78L8 26 32 50 50 16 68 50 92 26 88 78z'], // crown
  [360, 28, 'M62 8A44 44 0 1062 92 34 34 0 0162 8z'], // moon
  [180, 28, 'M50 6L62 38 96 38 68 58 79 92 50 71 21 92 32 58 4 38 38 38z'], // star
  [30, 28, ''], // rock
  [6, 24, ''],
  [1, 15, ''],
];

export function Tray({ side }: { side: PuyoSide }) {
  const n = (side.pending ?? 0) + (side.coming ?? 0);
  const shown: number[] = [];
  let left = n;
  for (let i = 0; i < SYMBOLS.length && shown.length < 6; i++)
    for (const value = SYMBOLS[i]![0]; left >= value && shown.length < 6; left -= value) shown.push(i);
  return (
    <div class="tray row">
      {shown.map((k, i) => {
        const [value, size, path] = SYMBOLS[k]!;
        return (
          <svg key={i} width={size} height={size} viewBox="0 0 100 100" aria-hidden="true">
            {path ? <path d={path} fill={value === 1440 ? 'none' : 'var(--warn)'} stroke="var(--warn)" stroke-width="8" stroke-linejoin="round" /> : <PuyoArt colour="O" y={50} />}
            {value === 30 && <circle cx="50" cy="50" r="46" fill="none" stroke="var(--worst)" stroke-width="8" />}
          </svg>
        );
      })}
      <span class="sp" />
      <span class="sm mute">{n > 0 ? t('puyo.coming', { n }) : t('puyo.clear')}</span>
    </div>
  );
}

interface Aim {
  col: Signal<number>;
  turn: Signal<number>;
}

function Field({ table, seat, player, aim, active }: BoardProps & { seat: number; player: Player; aim: Aim; active: boolean }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const colours = useRef<Palette | null>(null);
  const touch = useRef<{ x: number; y: number; col: number; moved: boolean } | null>(null);
  const view = shown<PuyoView>(table);
  const side = view.sides[seat]!;
  const pair = side.pairs[0] ?? '..';
  const col = aim.col.value;
  const turn = aim.turn.value;
  const idle = player.idle.value;
  const show = active && idle;

  useEffect(() => {
    const canvas = ref.current!;
    const fit = () => {
      const box = canvas.getBoundingClientRect();
      const k = Math.min(3, devicePixelRatio || 1);
      canvas.width = Math.round(box.width * k);
      canvas.height = Math.round(box.height * k);
      colours.current = palette(canvas.parentElement!);
      player.redraw();
    };
    player.paint = (puyos, joined) => {
      const x = canvas.getContext('2d');
      if (!x || !colours.current) return;
      x.setTransform(canvas.width / WIDTH, 0, 0, canvas.height / HEIGHT, 0, 0);
      drawField(x, colours.current, puyos, joined);
    };
    const watch = new ResizeObserver(fit);
    watch.observe(canvas);
    fit();
    return () => watch.disconnect();
  }, [player]);

  // A change of theme changes the colours.
  const theme = settings.value.theme;
  useEffect(() => {
    colours.current = palette(ref.current!.parentElement!);
    player.redraw();
  }, [theme, player]);

  // The pair and where it would land.
  useEffect(() => {
    player.extra = [];
    if (!show) return player.redraw();
    const [dr, dc] = SUB[turn]!;
    const hang: Puyo[] = [{ r: 10.4, c: col, colour: pair[0]! }, { r: 10.4 + dr, c: col + dc, colour: pair[1]! }];
    player.extra = hang;
    player.redraw();
    let wanted = true;
    const move = moveName(pair, table.session.value!.legal, col, turn);
    if (move)
      void table.lookSteps(move).then((a) => {
        if (!wanted || !a.steps) return;
        const field = player.field();
        const landed = still(parse(a.steps.placed)).filter((p) => cellOf(field, p.r, p.c) === '.');
        player.extra = [...landed.map((p) => ({ ...p, ghost: true })), ...hang];
        player.redraw();
      }).catch(() => undefined);
    return () => void (wanted = false);
  }, [show, pair, col, turn, table.session.value!.at, table.preview.value]);

  const cellAt = (e: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    return Math.max(0, Math.min(5, Math.floor(((e.clientX - box.left) / box.width) * 6)));
  };
  const link = player.link.value;
  return (
    <div class="fieldbox">
      <canvas
        ref={ref}
        class={active ? 'field active' : 'field'}
        role="img"
        aria-label={t('puyo.field', { who: table.who(seat) })}
        onPointerDown={(e) => {
          if (!show || e.pointerType === 'mouse') return;
          ref.current!.setPointerCapture(e.pointerId);
          touch.current = { x: e.clientX, y: e.clientY, col, moved: false };
        }}
        onPointerMove={(e) => {
          if (!show) return;
          if (e.pointerType === 'mouse') return moveTo(aim, cellAt(e));
          const d = touch.current;
          if (!d) return;
          const step = ref.current!.getBoundingClientRect().width / 6;
          const by = Math.round((e.clientX - d.x) / step);
          if (by !== 0) d.moved = true;
          if (d.moved) moveTo(aim, d.col + by);
        }}
        onPointerUp={(e) => {
          if (!show || e.button > 0) return;
          if (e.pointerType === 'mouse') return drop(table, pair, aim);
          const d = touch.current;
          touch.current = null;
          if (!d) return;
          if (e.clientY - d.y > 60 && Math.abs(e.clientX - d.x) < e.clientY - d.y) drop(table, pair, aim);
          else if (!d.moved && Math.hypot(e.clientX - d.x, e.clientY - d.y) < 12) rotate(aim, 1);
        }}
        onContextMenu={(e) => {
          e.preventDefault();
          if (show) rotate(aim, 1);
        }}
      />
      {link && (
        <div class="chainbox" key={link.n}>
          <b>{t('puyo.chain', { n: link.n })}</b>
          <span>+{number(link.score)}</span>
        </div>
      )}
      {side.allClear && idle && <div class="clearbox">{t('puyo.allClear')}</div>}
    </div>
  );
}

function moveTo(aim: Aim, col: number): void {
  const dc = SUB[aim.turn.value]![1];
  aim.col.value = Math.max(dc < 0 ? 1 : 0, Math.min(dc > 0 ? 4 : 5, col));
}
function rotate(aim: Aim, by: number): void {
  aim.turn.value = (aim.turn.value + by + 4) % 4;
  moveTo(aim, aim.col.value);
}
// The name of a placement among the legal ones; two equal puyos have one name for two turns.
function moveName(pair: string, legal: string[], col: number, turn: number): string | null {
  const names = [`${col + 1}${TURNS[turn]}`];
  if (pair[0] === pair[1]) names.push(turn === 0 ? `${col + 1}d` : turn === 2 ? `${col + 1}u` : turn === 1 ? `${col + 2}l` : `${col}r`);
  return names.find((n) => legal.includes(n)) ?? null;
}
function drop(table: BoardProps['table'], pair: string, aim: Aim): void {
  const move = moveName(pair, table.session.value!.legal, aim.col.value, aim.turn.value) ?? `${aim.col.value + 1}${TURNS[aim.turn.value]}`;
  void table.play(move);
  aim.turn.value = 0;
  aim.col.value = 2;
}

export function PuyoBoard({ table }: BoardProps) {
  const aim: Aim = { col: useSignal(2), turn: useSignal(0) };
  const players = useMemo(() => [new Player(), new Player()], []);
  const last = useRef<PuyoView | null>(null);
  const state = table.state.value!;
  const view = shown<PuyoView>(table);
  const s = state.session;
  const solo = view.sides.length === 1;
  const pair = view.sides[s.seat]?.pairs[0] ?? '..';
  const can = table.yourTurn.value && !table.preview.value;

  useEffect(() => {
    const now = table.preview.value ? (table.preview.value.view as PuyoView) : (state.view as PuyoView);
    const mover = table.path.value.at(-1)?.seat ?? -1;
    const cause = table.preview.value ? 'jump' : table.cause.value;
    now.sides.forEach((side, i) => players[i]!.update(side, last.current?.sides.length === now.sides.length ? last.current.sides[i] : undefined, state, mover === i, cause));
    last.current = now;
  }, [s.at, s.game, s.key.run, table.preview.value]);

  // A hint moves the pair there.
  const hint = table.hint.value?.move;
  useEffect(() => {
    const m = hint ? /^(\d)([urdl])$/.exec(hint) : null;
    if (!m) return;
    aim.turn.value = TURNS.indexOf(m[2]!);
    aim.col.value = Number(m[1]) - 1;
  }, [hint]);

  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      const on = e.target as Element;
      if (e.ctrlKey || e.metaKey || e.altKey || on.closest('input,textarea,select,dialog')) return;
      if (!table.yourTurn.value) return;
      const p = (table.state.value!.view as PuyoView).sides[table.session.value!.seat]?.pairs[0] ?? '..';
      if (e.key === 'ArrowLeft') moveTo(aim, aim.col.value - 1);
      else if (e.key === 'ArrowRight') moveTo(aim, aim.col.value + 1);
      else if (e.key === 'z' || e.key === 'Z') rotate(aim, -1);
      else if (e.key === 'x' || e.key === 'X' || e.key === 'ArrowUp') rotate(aim, 1);
      else if (e.key === 'ArrowDown' || ((e.key === 'Enter' || e.key === ' ') && !on.closest('button,a'))) drop(table, p, aim);
      else return;
      e.preventDefault();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, [table]);

  const side = (i: number, cls: string) => {
    const p = view.sides[i]!;
    return (
      <div class={cls} key={i}>
        {!solo && <Tray side={p} />}
        <Field table={table} seat={i} player={players[i]!} aim={aim} active={can && s.seat === i} />
        <div class="row foot">
          <b>{table.who(i)}</b>
          {s.seat === i && table.thinking.value && <span class="chip on">{t('who.thinking')}</span>}
          <span class="sp" />
          <b class="big">{number(p.score)}</b>
        </div>
      </div>
    );
  };
  const next = view.sides[solo ? 0 : Math.max(0, table.you.value)]!.pairs;
  const other = !solo && view.sides[1]!.pairs.join() !== view.sides[0]!.pairs.join() ? view.sides[1]!.pairs : null;
  const press = (icon: IconName, label: Key, run: () => void) => (
    <button type="button" class="padbtn" aria-label={t(label)} disabled={!can} onClick={run}>
      <Icon name={icon} />
    </button>
  );
  return (
    <div class={solo ? 'vs solo' : 'vs'}>
      {side(0, 'me')}
      <div class="mid">
        <h2>{t('puyo.next')}</h2>
        <Pair pair={next[1] ?? '..'} size={52} />
        <Pair pair={next[2] ?? '..'} size={36} />
        {other && table.mode.value !== 'people' && (
          <div class="mid2">
            <Pair pair={other[1] ?? '..'} size={24} />
          </div>
        )}
        <span class="sp" />
        <span class="sm mute">{t('puyo.pairs', { n: view.sides[0]!.placed })}</span>
        {solo && <span class="sm mute">{t('puyo.longest', { n: view.longest ?? 0 })}</span>}
      </div>
      {!solo && side(1, 'op')}
      <div class="pad">
        {press('left', 'puyo.left', () => moveTo(aim, aim.col.value - 1))}
        {press('turnLeft', 'puyo.turnLeft', () => rotate(aim, -1))}
        {press('drop', 'puyo.drop', () => drop(table, pair, aim))}
        {press('turnRight', 'puyo.turnRight', () => rotate(aim, 1))}
        {press('right', 'puyo.right', () => moveTo(aim, aim.col.value + 1))}
      </div>
      <span class="hidden" aria-live="polite">{can ? t('puyo.column', { pair, n: aim.col.value + 1 }) : ''}</span>
    </div>
  );
}
