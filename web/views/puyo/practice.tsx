// GTR practice: place the pairs, see what the advisor would do, and how often the fold is finished in time. A score attack is
// ten games in a row. A game is a number and a list of moves; the engine plays them again for each question.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Placement, Practised, PuyoEngine } from '../../engine/puyo';
import { Pair } from '../../games/puyo/board';
import { Faller, Places } from '../../games/puyo/faller';
import { parse, still } from '../../games/puyo/field';
import { Side } from '../../games/puyo/match';
import { FieldCanvas, Screen } from '../../games/puyo/screen';
import { Icon, type IconName } from '../../ui/icons';
import { Pieces } from '../../ui/pieces';
import { number, t, told, type Key } from '../../ui/i18n';
import { calm, store, stored } from '../../ui/settings';
import { sound } from '../../ui/sound';
import { Advised, ghostOf, marksOf, moveText } from './advisor';

interface Tally {
  games: number;
  folds: number;
  fastest: number;
  agreed: number;
  placed: number;
}
const ROUNDS = 10;
const none: Tally = { games: 0, folds: 0, fastest: 0, agreed: 0, placed: 0 };
const fresh = () => Math.floor(Math.random() * 1e9);

export function Practice({ engine }: { engine: PuyoEngine }) {
  const seed = useSignal(Number(new URLSearchParams(location.search).get('seed')) || fresh());
  const game = useSignal(0);
  const moves = useSignal<string[]>([]);
  const turns = useSignal(15);
  const mode = useSignal<'seed' | 'plus'>('seed');
  const now = useSignal<Practised | null>(null);
  const faller = useSignal<Faller | null>(null);
  const help = useSignal(true);
  const picked = useSignal('');
  const tally = useSignal<Tally>({ ...none, ...stored<Tally>('keiko.puyo.practice') });
  const attack = useSignal<{ round: number; points: number } | null>(null);
  const record = useSignal(stored<number>('keiko.puyo.attack') ?? 0);
  const said = useSignal('');
  const counted = useRef(false);
  const asked = useRef(0); // positions; only the last one counts
  const tick = useSignal(0);
  const screen = useMemo(() => new Screen(), []);
  const side = useRef<{ s: Side; at: number } | null>(null);
  const redraw = () => void tick.value++;

  const load = async (played: boolean) => {
    const mine = ++asked.current;
    const args = { seed: seed.value, number: game.value, turns: turns.value, mode: mode.value, moves: moves.value.join(';') || undefined };
    faller.value = null; // nothing is placed meanwhile
    try {
      const p = await engine.ask<Practised>('practice', args);
      const { placements } = await engine.ask<{ placements: Placement[] }>('placements', { field: p.advice.field, pair: p.advice.pair, reach: 1 });
      if (played && p.steps && now.value && !calm() && mine === asked.current) await animate(now.value.advice.field, p);
      if (mine === asked.current) {
        now.value = p;
        picked.value = p.advice.advice?.move ?? '';
        faller.value = p.over || placements.length === 0 ? null : new Faller(p.advice.pair, new Places(p.advice.pair, placements), { gravity: Infinity, fast: Infinity, rest: Infinity });
        if (played) finish(p);
      }
    } catch (e) {
      said.value = told(e);
    }
    redraw();
  };

  // The placement and its chain, drawn frame by frame from the engine's steps, until another position is asked for.
  const animate = (before: string, p: Practised) =>
    new Promise<void>((done) => {
      const mine = asked.current;
      const s = new Side({ field: before, pairs: [], score: 0, placed: 0, buried: false });
      const fresh = still(parse(p.steps!.placed)).filter((x) => parse(before)[x.r]?.[x.c] === '.');
      s.placed(p.steps!, fresh.map((x) => ({ ...x, r: x.r + 3 })), 0, 8);
      const from = performance.now();
      let link = 0;
      const step = (time: number) => {
        const f = ((time - from) * 60) / 1000;
        if (f >= s.busyUntil || mine !== asked.current) {
          side.current = null;
          return done();
        }
        side.current = { s, at: f };
        const l = s.linkAt(f, 0);
        if (l && l.n !== link) sound.link((link = l.n));
        const { puyos, joined } = s.puyos(f);
        screen.paint(puyos, joined);
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    });

  const finish = (p: Practised) => {
    if (!p.over || counted.current) return;
    counted.current = true;
    const k = tally.value;
    tally.value = { ...k, games: k.games + 1, folds: k.folds + (p.folded > 0 ? 1 : 0), fastest: p.folded > 0 ? Math.min(k.fastest || 999, p.folded) : k.fastest };
    store('keiko.puyo.practice', tally.value);
    if (attack.value) {
      attack.value = { round: attack.value.round + 1, points: attack.value.points + p.points };
      if (attack.value.round >= ROUNDS && attack.value.points > record.value) {
        record.value = attack.value.points;
        store('keiko.puyo.attack', record.value);
      }
    }
  };

  const begin = (next: boolean) => {
    if (next) game.value++;
    moves.value = [];
    counted.current = false;
    said.value = '';
    void load(false);
  };
  useEffect(() => begin(false), [turns.value, mode.value]);

  const drop = (move?: string) => {
    const f = faller.value;
    const p = now.value;
    if (!p || p.over || side.current || !f) return;
    const m = move ?? f.placement.move;
    const advised = p.advice.advice?.move;
    const rank = p.advice.candidates.findIndex((x) => x.move === m);
    said.value = m === advised ? t('pv.asAdvised') : advised ? t('pv.rather', { move: moveText(advised), n: rank + 1, all: p.advice.candidates.length }) : '';
    tally.value = { ...tally.value, placed: tally.value.placed + 1, agreed: tally.value.agreed + (m === advised ? 1 : 0) };
    store('keiko.puyo.practice', tally.value);
    sound.place();
    moves.value = [...moves.value, m];
    void load(true);
  };
  const back = () => {
    if (moves.value.length === 0 || attack.value) return;
    moves.value = moves.value.slice(0, -1);
    void load(false);
  };

  const act = (run: (f: Faller) => void) => {
    if (!faller.value || side.current) return;
    run(faller.value);
    redraw();
  };
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      const on = e.target as Element;
      if (e.ctrlKey || e.metaKey || e.altKey || on.closest('input:not([type=checkbox]):not([type=radio]),textarea,select,dialog')) return;
      const run: Record<string, () => void> = {
        ArrowLeft: () => act((f) => f.move(-1)),
        ArrowRight: () => act((f) => f.move(1)),
        z: () => act((f) => f.rotate(-1)),
        x: () => act((f) => f.rotate(1)),
        ArrowUp: () => act((f) => f.rotate(1)),
        ArrowDown: () => drop(),
        ' ': () => (on.closest('button,a') ? undefined : drop()),
        a: () => drop(now.value?.advice.advice?.move),
        u: back,
      };
      const go = run[e.key.length === 1 ? e.key.toLowerCase() : e.key];
      if (!go || (e.key === ' ' && on.closest('button,a'))) return;
      e.preventDefault();
      go();
    };
    addEventListener('keydown', key);
    return () => removeEventListener('keydown', key);
  }, []);

  const p = now.value;
  const shown = p?.advice.candidates.find((m) => m.move === picked.value) ?? p?.advice.advice ?? null;
  useEffect(() => {
    if (!p || side.current) return;
    const grid = parse(p.advice.field);
    const f = faller.value;
    const own = f?.ghost() ?? [];
    // What the advisor would do, smaller than the pair's own ghost.
    const advised = help.value && f && shown ? ghostOf(shown, p.advice.pair).filter((g) => !own.some((o) => o.c === g.c && o.r === g.r && o.colour === g.colour)) : [];
    // The pair hangs half a row lower than it is: the field ends there, and a puyo cut in half looks lost.
    const pair = f ? [...own, ...advised.map((g) => ({ ...g, size: 0.62 })), ...f.puyos().map((q) => ({ ...q, r: q.r - 0.5 }))] : [];
    screen.paint([...still(grid), ...pair], true, help.value ? marksOf(p.advice, grid, [...own, ...advised]) : []);
  });
  void tick.value;

  const touch = useRef<{ x: number; y: number; col: number; moved: boolean } | null>(null);
  const btn = (icon: IconName, label: Key, run: () => void) => (
    <button type="button" class="padbtn" aria-label={t(label)} disabled={!faller.value} onClick={run}><Icon name={icon} /></button>
  );
  const k = tally.value;
  const over = attack.value && attack.value.round >= ROUNDS;
  return (
    <div class="pv-game">
      <div class="pv-fields">
        <div class="vs solo">
          <div class="me">
            <FieldCanvas
              screen={screen}
              label={t('puyo.field', { who: t('who.you') })}
              onPointerDown={(e: PointerEvent) => {
                if (!faller.value) return;
                (e.currentTarget as Element).setPointerCapture(e.pointerId);
                touch.current = { x: e.clientX, y: e.clientY, col: faller.value.col, moved: false };
              }}
              onPointerMove={(e: PointerEvent) => {
                const d = touch.current;
                if (!d) return;
                const by = Math.round((e.clientX - d.x) / ((e.currentTarget as Element).getBoundingClientRect().width / 6));
                if (by !== 0) d.moved = true;
                if (d.moved) act((f) => f.toColumn(Math.max(0, Math.min(5, d.col + by))));
              }}
              onPointerUp={(e: PointerEvent) => {
                const d = touch.current;
                touch.current = null;
                if (!d) return;
                const dy = e.clientY - d.y;
                if (dy > 50 && dy > Math.abs(e.clientX - d.x)) drop();
                else if (!d.moved && Math.hypot(e.clientX - d.x, dy) < 14) act((f) => f.rotate(1));
              }}
            />
            <div class="row foot"><b data-turn={p?.turn ?? 0}>{t('pv.turn', { n: Math.min((p?.turn ?? 0) + 1, p?.turns ?? 15), all: p?.turns ?? 15 })}</b><span class="sp" />{attack.value && <b class="big">{number(attack.value.points)}</b>}</div>
          </div>
          <div class="mid">
            <h2>{t('puyo.next')}</h2>
            {p?.advice.next[0] && <Pair pair={p.advice.next[0]} size={52} />}
            {p?.advice.next[1] && <Pair pair={p.advice.next[1]} size={36} />}
          </div>
          <div class="pad pv-pad">
            {btn('left', 'puyo.left', () => act((f) => f.move(-1)))}
            {btn('turnLeft', 'puyo.turnLeft', () => act((f) => f.rotate(-1)))}
            {btn('drop', 'puyo.drop', () => drop())}
            {btn('turnRight', 'puyo.turnRight', () => act((f) => f.rotate(1)))}
            {btn('right', 'puyo.right', () => act((f) => f.move(1)))}
          </div>
        </div>
        {p?.over && (
          <div class="ending pv-ending" role="status" data-folded={p.folded}>
            <b class="big">{over ? t('pv.attackOver', { n: number(attack.value!.points) }) : p.folded > 0 ? t('pv.folded', { n: p.folded }) : t('pv.notFolded', { n: p.turns })}</b>
            {p.folded > 0 && <span class="mute">{t('end.points', { n: p.points })}</span>}
            <div class="row">
              <button type="button" class="go" data-act="next" onClick={() => { if (over) attack.value = null; begin(true); }}>{t('pv.nextGame')}</button>
              {!attack.value && <button type="button" class="ghost" onClick={() => begin(false)}>{t('pv.samePairs')}</button>}
            </div>
          </div>
        )}
      </div>
      <aside class="panel pv-side">
        <section>
          <div class="row">
            <h1>{t('pv.practice')}</h1>
            <span class="sp" />
            <label class="row sm">{t('pv.within')}
              <select class="select" value={turns.value} onChange={(e) => (turns.value = Number(e.currentTarget.value))}>
                {[10, 12, 15, 20].map((n) => <option key={n} value={n}>{t('pv.turnsOf', { n })}</option>)}
              </select>
            </label>
          </div>
          <dl class="pv-stats">
            <div><dt>{t('pv.folds')}</dt><dd data-stat="folds">{k.folds} / {k.games}{k.games > 0 && <small> {Math.round((100 * k.folds) / k.games)} %</small>}</dd></div>
            <div><dt>{t('pv.fastest')}</dt><dd>{k.fastest || '–'}</dd></div>
            <div><dt>{t('pv.agreed')}</dt><dd data-stat="placed">{k.agreed} / {k.placed}</dd></div>
            <div><dt>{t('pv.attack')}</dt><dd>{attack.value ? `${attack.value.round} / ${ROUNDS}` : number(record.value)}</dd></div>
          </dl>
          <div class="row pv-buttons">
            <button type="button" class="go" data-act="advised" disabled={!faller.value} onClick={() => drop(p?.advice.advice?.move)}>{t('pv.placeAdvised')}</button>
            <button type="button" class="ghost" data-act="back" disabled={moves.value.length === 0 || !!attack.value} onClick={back}>{t('act.undo')}</button>
            <button type="button" class="ghost" data-act="attack" onClick={() => { attack.value = attack.value ? null : { round: 0, points: 0 }; seed.value = fresh(); game.value = 0; begin(false); }}>{t(attack.value ? 'pv.attackStop' : 'pv.attackStart')}</button>
            <label class="row sm"><input type="checkbox" checked={help.value} onChange={(e) => (help.value = e.currentTarget.checked)} />{t('pv.showHelp')}</label>
          </div>
          <p class="sm pv-said" role="status">{said.value}</p>
        </section>
        {p && shown && help.value ? <Advised a={p.advice} shown={shown} pick={(m) => (picked.value = m)} /> : <section class="grow" />}
        <section class="d sm mute keysline"><Pieces text={t('pv.practiceKeys')} /></section>
      </aside>
    </div>
  );
}

