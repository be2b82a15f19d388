// Versus and alone, in real time: two fields or one, keys, touch, pause.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { PuyoEngine } from '../../engine/puyo';
import { Pair, Tray } from '../../games/puyo/board';
import { FieldCanvas } from '../../games/puyo/screen';
import { Icon, type IconName } from '../../ui/icons';
import { Pieces } from '../../ui/pieces';
import { number, t, told, type Key } from '../../ui/i18n';
import { store, stored, unstored } from '../../ui/settings';
import { best, Live, records, replayLink, type Setup } from './live';

const fresh = () => Math.floor(Math.random() * 65536);
const TIMES = [60, 120, 180, 0];

export function Game({ engine, kind }: { engine: PuyoEngine; kind: 'versus' | 'solo' }) {
  const level = useSignal(stored<number>('keiko.puyo.level') ?? 3);
  const seconds = useSignal(120);
  const live = useSignal<Live | null>(null);
  const seed = Number(new URLSearchParams(location.search).get('seed')) || 0;
  const start = () => {
    live.value?.stop();
    (document.activeElement as HTMLElement | null)?.blur(); // Space drops from now on
    const setup: Setup = { kind, level: level.value, seed: seed || fresh(), seconds: kind === 'solo' ? seconds.value : 0 };
    const l = new Live(engine, setup);
    live.value = l;
    void l.begin();
  };
  useEffect(() => () => live.value?.stop(), []);
  useEffect(() => {
    live.value?.stop();
    live.value = null;
  }, [kind]);
  const l = live.value;
  return (
    <div class="pv-game">
      <Fields live={l} kind={kind} level={level.value} start={start} />
      <aside class="panel pv-side">
        <section>
          <h1>{t(kind === 'versus' ? 'pv.versus' : 'pv.solo')}</h1>
          <p class="mute sm">{t(kind === 'versus' ? 'pv.versusHelp' : 'pv.soloHelp')}</p>
        </section>
        <section>
          {kind === 'versus' ? (
            <label class="row">
              <span>{t('level.label')}</span>
              <input type="range" min="1" max="10" value={level.value} aria-label={t('level.label')} onInput={(e) => { level.value = Number(e.currentTarget.value); store('keiko.puyo.level', level.value); }} />
              <b class="big lv">{level.value}</b>
            </label>
          ) : (
            <label class="row">
              <span>{t('pv.time')}</span>
              <span class="sp" />
              <select class="select" value={seconds.value} onChange={(e) => (seconds.value = Number(e.currentTarget.value))}>
                {TIMES.map((s) => <option key={s} value={s}>{s ? t('pv.seconds', { n: s }) : t('pv.noLimit')}</option>)}
              </select>
            </label>
          )}
          {kind === 'solo' && <p class="mute sm">{t('pv.best', { n: number(best(seconds.value)) })}</p>}
          <div class="row pv-buttons">
            <button type="button" class="go" data-act="start" onClick={start}>{t(l ? 'pv.restart' : 'pv.start')}</button>
            <button type="button" class="ghost" data-act="pause" disabled={!l || !!l.ended.value} onClick={() => l?.pause(!l.paused.value)}>{t(l?.paused.value ? 'act.resume' : 'act.pause')}</button>
          </div>
        </section>
        <section class="d sm mute keysline"><Pieces text={t('pv.keys')} /></section>
        <section class="grow">
          <h2>{t('pv.games')}</h2>
          <Records over={l?.ended.value ?? ''} />
        </section>
        <section><a class="link" href={kind === 'versus' ? '#/puyo' : '#/puyo-solo'}>{t('pv.untimed')}</a></section>
      </aside>
    </div>
  );
}

function Records({ over }: { over: string }) {
  const all = useMemo(records, [over]);
  if (all.length === 0) return <p class="mute sm">{t(unstored.value ? 'pv.notKept' : 'pv.noGames')}</p>;
  return (
    <ul class="pv-list">
      {all.map((r, i) => (
        <li key={i}>
          <a href={replayLink(r)}>
            <span>{r.kind === 'versus' ? t('who.level', { n: r.level }) : t('pv.solo')}</span>
            <span class="mute">{r.kind === 'versus' ? t(`pv.end.${r.result}` as Key) : r.seconds ? t('pv.seconds', { n: r.seconds }) : t('pv.noLimit')}</span>
            <b>{r.points.map(number).join(' : ')}</b>
            <Icon name="play" />
          </a>
        </li>
      ))}
    </ul>
  );
}

function Fields({ live, kind, level, start }: { live: Live | null; kind: 'versus' | 'solo'; level: number; start(): void }) {
  const drag = useRef<{ x: number; y: number; col: number; moved: boolean; at: number; pushed: boolean } | null>(null);

  useEffect(() => {
    if (!live) return;
    const h = live.hands;
    const down = (e: KeyboardEvent) => {
      const on = e.target as Element;
      if (e.ctrlKey || e.metaKey || e.altKey || on.closest('input:not([type=range]),textarea,select,dialog')) return;
      if (e.key === 'Escape' || e.key === 'p' || e.key === 'P') return void (e.preventDefault(), live.pause(!live.paused.value));
      if (live.paused.value || live.ended.value) return;
      const run: Record<string, () => void> = {
        ArrowLeft: () => e.repeat || h.side(-1),
        ArrowRight: () => e.repeat || h.side(1),
        ArrowDown: () => void (h.down = true),
        ArrowUp: () => e.repeat || h.drop(),
        ' ': () => e.repeat || h.drop(),
        z: () => e.repeat || h.turn(-1),
        x: () => e.repeat || h.turn(1),
      };
      const go = run[e.key.length === 1 ? e.key.toLowerCase() : e.key];
      if (!go) return;
      e.preventDefault();
      go();
    };
    const up = (e: KeyboardEvent) => {
      if (e.key === 'ArrowLeft') h.release(-1);
      else if (e.key === 'ArrowRight') h.release(1);
      else if (e.key === 'ArrowDown') h.down = false;
    };
    const hidden = () => document.hidden && live.pause(true);
    const blur = () => live.pause(true);
    addEventListener('keydown', down);
    addEventListener('keyup', up);
    addEventListener('blur', blur);
    document.addEventListener('visibilitychange', hidden);
    return () => {
      removeEventListener('keydown', down);
      removeEventListener('keyup', up);
      removeEventListener('blur', blur);
      document.removeEventListener('visibilitychange', hidden);
    };
  }, [live]);

  void live?.version.value;
  const m = live?.ready.value ? live.match : null;
  const two = kind === 'versus';
  const me = m?.sides[0];
  const pairs = me?.state.pairs ?? [];
  const next = me?.faller || me?.asked ? pairs.slice(1) : pairs; // before the pair appears it is still the next one
  const held = live && !live.ended.value && !live.paused.value;
  const hold = (icon: IconName, label: Key, on: () => void, off?: () => void) => (
    <button
      type="button"
      class="padbtn"
      aria-label={t(label)}
      disabled={!held}
      onPointerDown={(e) => { e.preventDefault(); on(); }}
      onPointerUp={off}
      onPointerCancel={off}
      onPointerLeave={off}
      onClick={(e) => e.detail === 0 && (on(), off?.())}
    >
      <Icon name={icon} />
    </button>
  );
  const h = live?.hands;
  const side = (i: number, cls: string) => {
    const s = m?.sides[i];
    const link = s?.linkAt(m!.frame);
    return (
      <div class={cls} key={i}>
        {two && (s ? <Tray side={s.state} /> : <div class="tray" />)}
        {live ? (
          <FieldCanvas
            screen={live.screens[i]!}
            key={`${live.setup.seed}${kind}${i}`}
            label={t('puyo.field', { who: i === 0 ? t('who.you') : t('who.level', { n: level }) })}
            {...(i === 0
              ? {
                  onPointerDown: (e: PointerEvent) => {
                    const f = m?.sides[0]?.faller;
                    if (!held || !f) return;
                    (e.currentTarget as Element).setPointerCapture(e.pointerId);
                    drag.current = { x: e.clientX, y: e.clientY, col: f.col, moved: false, at: performance.now(), pushed: false };
                  },
                  onPointerMove: (e: PointerEvent) => {
                    const d = drag.current;
                    const f = m?.sides[0]?.faller;
                    if (!d || !f || !held) return;
                    const step = (e.currentTarget as Element).getBoundingClientRect().width / 6;
                    const by = Math.round((e.clientX - d.x) / step);
                    if (by !== 0) d.moved = true;
                    if (d.moved) f.toColumn(Math.max(0, Math.min(5, d.col + by)));
                    const far = e.clientY - d.y;
                    if (far > 1.2 * step && performance.now() - d.at > 260) h!.down = d.pushed = true;
                  },
                  onPointerUp: (e: PointerEvent) => {
                    const d = drag.current;
                    drag.current = null;
                    h!.down = false;
                    if (!d || !held) return;
                    const [dx, dy] = [e.clientX - d.x, e.clientY - d.y];
                    if (d.pushed) return;
                    if (dy > 50 && dy > Math.abs(dx)) h!.drop();
                    else if (!d.moved && Math.hypot(dx, dy) < 14) h!.turn(1);
                  },
                  onPointerCancel: () => { drag.current = null; if (h) h.down = false; },
                }
              : {})}
          >
            {link && (
              <div class="chainbox" key={link.n}>
                <b>{t('puyo.chain', { n: link.n })}</b>
                <span>+{number(link.score)}</span>
              </div>
            )}
            {s?.state.allClear && s.busyUntil <= m!.frame && <div class="clearbox">{t('puyo.allClear')}</div>}
          </FieldCanvas>
        ) : (
          <div class="fieldbox"><div class="field pv-empty" /></div>
        )}
        <div class="row foot">
          <b>{i === 0 ? t('who.you') : t('who.level', { n: level })}</b>
          <span class="sp" />
          <b class="big" data-score={i}>{number(s ? (s.busyUntil <= m!.frame ? s.state.score : s.shown) : 0)}</b>
        </div>
      </div>
    );
  };
  const left = live?.secondsLeft ?? null;
  const clock = Math.floor((m?.frame ?? 0) / 60);
  return (
    <div class="pv-fields">
      <div class={two ? 'vs' : 'vs solo'}>
        {side(0, 'me')}
        <div class="mid">
          <h2>{t('puyo.next')}</h2>
          {next[0] ? <Pair pair={next[0]} size={52} /> : <span class="pv-nopair" />}
          {next[1] ? <Pair pair={next[1]} size={36} /> : <span />}
          <span class="sp" />
          {live && <span class="sm mute" data-clock>{left !== null ? t('pv.left', { n: left }) : `${Math.floor(clock / 60)}:${String(clock % 60).padStart(2, '0')}`}</span>}
        </div>
        {two && side(1, 'op')}
        <div class="pad">
          {hold('left', 'puyo.left', () => h?.side(-1), () => h?.release(-1))}
          {hold('turnLeft', 'puyo.turnLeft', () => h?.turn(-1))}
          {hold('drop', 'pv.push', () => h && (h.down = true), () => h && (h.down = false))}
          {hold('turnRight', 'puyo.turnRight', () => h?.turn(1))}
          {hold('right', 'puyo.right', () => h?.side(1), () => h?.release(1))}
        </div>
      </div>
      {!live && (
        <div class="pv-cover pv-begin">
          <button type="button" class="go" data-act="begin" onClick={start}>{t('pv.start')}</button>
          <p class="sm m">{t('puyo.touch')}</p>
        </div>
      )}
      {live?.paused.value && (
        <div class="pv-cover" role="status">
          <b class="big">{t('pv.paused')}</b>
          <button type="button" class="go" onClick={() => live.pause(false)}>{t('act.resume')}</button>
        </div>
      )}
      {live?.ended.value && (
        <div class="ending pv-ending" role="status" data-end={live.ended.value}>
          <b class="big">{t(`pv.end.${live.ended.value}` as Key)}</b>
          {live.match.failed ? <p class="error">{told(live.match.failed)}</p> : <span class="mute">{live.match.sides.map((s) => number(s.state.score)).join(' : ')}</span>}
          <div class="row">
            <button type="button" class="go" onClick={start}>{t('end.again')}</button>
            {live.record && <a class="ghost line40" href={replayLink(live.record)}>{t('pv.replay')}</a>}
          </div>
        </div>
      )}
    </div>
  );
}
