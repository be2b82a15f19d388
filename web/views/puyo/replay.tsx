// A finished game again, frame by frame: the engine plays its moves once more, and every frame can be shown.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { PuyoEngine } from '../../engine/puyo';
import { replayed, rebuilt, type Side } from '../../games/puyo/match';
import { FieldCanvas, Screen } from '../../games/puyo/screen';
import { Icon } from '../../ui/icons';
import { number, t, told } from '../../ui/i18n';
import { fromReplayLink, solo, versus } from './live';

const SPEEDS = [0.5, 1, 2, 4];

export function Replay({ engine }: { engine: PuyoEngine }) {
  const record = useMemo(() => fromReplayLink(location.hash), [location.hash]);
  const game = useSignal<{ sides: Side[]; frames: number } | null>(null);
  const frame = useSignal(0);
  const playing = useSignal(true);
  const speed = useSignal(1);
  const error = useSignal('');
  const screens = useMemo(() => [new Screen(), new Screen()], []);

  useEffect(() => {
    if (!record) return void (error.value = t('pv.noReplay'));
    const referee = record.kind === 'solo' ? solo(engine, record.seed) : versus(engine, record.seed);
    rebuilt(referee, record.rests.map(([seat, move, f]) => ({ seat, move, frame: f })))
      .then((g) => (game.value = g))
      .catch((e: Error) => (error.value = told(e)));
  }, [record]);

  const g = game.value;
  useEffect(() => {
    if (!g || !playing.value) return;
    let then = performance.now();
    let id = requestAnimationFrame(function step(now) {
      frame.value = Math.min(g.frames, frame.value + (Math.min(200, now - then) * 60 * speed.value) / 1000);
      then = now;
      if (frame.value >= g.frames) playing.value = false;
      else id = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(id);
  }, [g, playing.value, speed.value]);

  const shown = g?.sides.map((s) => replayed(s, frame.value));
  useEffect(() => shown?.forEach((s, i) => screens[i]!.paint(s.puyos, s.joined)));
  if (error.value) return <div class="blank"><p class="error" role="alert">{error.value}</p></div>;
  const two = record?.kind === 'versus';
  const at = Math.floor(frame.value / 60);
  // Moments worth going to: where chains begin.
  const chains = g ? g.sides.flatMap((s, i) => s.timeline.filter((x) => x.link?.n === 1).map((x) => ({ at: x.at, seat: i }))) : [];
  return (
    <div class="pv-game pv-replay">
      <div class="pv-fields">
        <div class={two ? 'vs' : 'vs solo'}>
          {(two ? [0, -1, 1] : [0, -1]).map((i) => {
            if (i < 0) return <div class="mid" key="mid"><span class="sp" /><span class="sm mute">{Math.floor(at / 60)}:{String(at % 60).padStart(2, '0')}</span></div>;
            const link = g?.sides[i]?.linkAt(frame.value);
            return (
              <div key={i} class={i === 0 ? 'me' : 'op'}>
                <FieldCanvas screen={screens[i]!} label={t('puyo.field', { who: i === 0 ? t('who.you') : t('who.level', { n: record!.level }) })}>
                  {link && <div class="chainbox" key={link.n}><b>{t('puyo.chain', { n: link.n })}</b><span>+{number(link.score)}</span></div>}
                </FieldCanvas>
                <div class="row foot"><b>{i === 0 ? t('who.you') : t('who.level', { n: record!.level })}</b><span class="sp" /><b class="big">{number(shown?.[i]?.score ?? 0)}</b></div>
              </div>
            );
          })}
        </div>
      </div>
      <aside class="panel pv-side">
        <section>
          <h1>{t('pv.replay')}</h1>
          <input type="range" class="pv-range" min="0" max={g?.frames ?? 1} value={frame.value} aria-label={t('pv.position')} data-frames={g?.frames ?? 0} onInput={(e) => { frame.value = Number(e.currentTarget.value); playing.value = false; }} />
          <div class="row pv-buttons">
            <button type="button" class="go" data-act="play" onClick={() => { if (g && frame.value >= g.frames) frame.value = 0; playing.value = !playing.value; }}><Icon name={playing.value ? 'pause' : 'play'} /><span class="hidden">{t(playing.value ? 'act.pause' : 'act.resume')}</span></button>
            <fieldset class="choice"><legend class="hidden">{t('pv.speed')}</legend>
              {SPEEDS.map((s) => <label key={s} class={speed.value === s ? 'on' : ''}><input type="radio" name="speed" checked={speed.value === s} onChange={() => (speed.value = s)} />×{s}</label>)}
            </fieldset>
          </div>
        </section>
        <section class="grow">
          <h2>{t('pv.chains')}</h2>
          {chains.length === 0 ? <p class="mute sm">–</p> : (
            <ul class="pv-list">
              {chains.sort((a, b) => a.at - b.at).map((c) => (
                <li key={`${c.at}${c.seat}`}>
                  <button type="button" onClick={() => { frame.value = Math.max(0, c.at - 60); playing.value = true; }}>
                    <span>{Math.floor(c.at / 3600)}:{String(Math.floor(c.at / 60) % 60).padStart(2, '0')}</span>
                    <span class="mute">{c.seat === 0 ? t('who.you') : t('who.level', { n: record!.level })}</span>
                    <b>{t('puyo.chain', { n: longest(g!.sides[c.seat]!, c.at) })}</b>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section><a class="link" href="#/puyo/versus">{t('pv.backToGame')}</a></section>
      </aside>
    </div>
  );
}

function longest(side: Side, from: number): number {
  let n = 0;
  for (const s of side.timeline) {
    if (s.at < from) continue;
    if (s.pair) break;
    if (s.link) n = s.link.n;
  }
  return n;
}
