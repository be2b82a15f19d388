// Chains of an edited field: see them run, take fields from puyop.com and give them back, and play from there as a puzzle.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Chained, PuyoEngine } from '../../engine/puyo';
import { FieldEditor } from '../../games/puyo/edit';
import { empty, parse, toText, type Grid } from '../../games/puyo/field';
import { Side } from '../../games/puyo/match';
import { FieldCanvas, Screen } from '../../games/puyo/screen';
import { number, t, told } from '../../ui/i18n';

export function ChainEditor({ engine, play }: { engine: PuyoEngine; play(address: string): void }) {
  const q = new URLSearchParams(location.hash.split('?')[1] ?? '');
  const grid = useSignal<Grid>(parse(q.get('f') ?? '......'));
  const pairs = useSignal(q.get('p') ?? 'RG,BY,RR');
  const text = useSignal('');
  const chain = useSignal<Chained | null>(null);
  const error = useSignal('');
  const running = useSignal<{ side: Side; frame: number; play: boolean } | null>(null);
  const copied = useSignal(false);
  const screen = useMemo(() => new Screen(), []);

  const field = toText(grid.value);
  useEffect(() => {
    let wanted = true;
    engine
      .ask<Chained>('chain', { field, pairs: pairs.value.toUpperCase().replace(/\s/g, '') || undefined })
      .then((c) => wanted && ((chain.value = c), (error.value = '')))
      .catch((e: Error) => wanted && (error.value = told(e)));
    history.replaceState(null, '', `#/puyo/editor?f=${field}&p=${pairs.value}`);
    return () => void (wanted = false);
  }, [field, pairs.value]);

  const load = async () => {
    try {
      const c = await engine.ask<Chained>('chain', { field: text.value.trim() });
      grid.value = parse(c.field);
      error.value = '';
    } catch (e) {
      error.value = told(e);
    }
  };
  const run = () => {
    const c = chain.value;
    if (!c || c.links.length === 0) return;
    const side = new Side({ field: c.field, pairs: [], score: 0, placed: 0, buried: false });
    side.placed({ placed: c.field, dropFrames: 0, links: c.links }, [], 0, 1);
    running.value = { side, frame: 0, play: true };
  };
  // The chain can be scrubbed; while it plays, frames follow the clock.
  const r = running.value;
  useEffect(() => {
    if (!r) return;
    const { puyos, joined } = r.side.puyos(r.frame);
    screen.paint(puyos, joined);
    if (!r.play) return;
    if (r.frame >= r.side.busyUntil) return void (running.value = { ...r, play: false });
    const at = performance.now();
    const id = requestAnimationFrame((now) => running.value === r && (running.value = { ...r, frame: Math.min(r.side.busyUntil, r.frame + Math.max(0.1, Math.min(8, ((now - at) * 60) / 1000))) }));
    return () => cancelAnimationFrame(id);
  }, [r]);
  const c = chain.value;
  const link = r?.side.linkAt(r.frame);
  const sum = c?.links.reduce((n, l) => n + l.score, 0) ?? 0;
  return (
    <div class="pv-game pv-advisor">
      <div class="pv-work">
        {r ? (
          <div class="pv-edit">
            <FieldCanvas screen={screen} label={t('pv.chainField')}>
              {link && <div class="chainbox" key={link.n}><b>{t('puyo.chain', { n: link.n })}</b><span>+{number(link.score)}</span></div>}
            </FieldCanvas>
            <div class="row pv-scrub">
              <button type="button" class="ghost small" onClick={() => (running.value = { ...r, frame: r.frame >= r.side.busyUntil ? 0 : r.frame, play: !r.play })}>{t(r.play ? 'act.pause' : 'act.resume')}</button>
              <input type="range" min="0" max={r.side.busyUntil} value={r.frame} aria-label={t('pv.position')} onInput={(e) => (running.value = { ...r, frame: Number(e.currentTarget.value), play: false })} />
              <button type="button" class="ghost small" data-act="edit" onClick={() => (running.value = null)}>{t('pv.edit')}</button>
            </div>
          </div>
        ) : <FieldEditor grid={grid} change={(g) => (grid.value = g)} />}
      </div>
      <aside class="panel pv-side">
        <section>
          <h1>{t('pv.editor')}</h1>
          <p class="mute sm">{t('pv.editorHelp')}</p>
          <p class="row"><b class="big" data-chain={c?.links.length ?? 0}>{t('puyo.chain', { n: c?.links.length ?? 0 })}</b><span class="sp" /><b class="big" data-points={sum}>{number(sum)}</b></p>
          <div class="row pv-buttons">
            <button type="button" class="go" data-act="run" disabled={!c || c.links.length === 0} onClick={run}>{t('pv.fire')}</button>
            <button type="button" class="ghost" onClick={() => { running.value = null; grid.value = empty(); }}>{t('edit.clear')}</button>
          </div>
          {error.value && <p class="error" role="alert">{error.value}</p>}
        </section>
        <section>
          <h2>{t('share.import')}</h2>
          <textarea class="field-text" rows={2} aria-label={t('share.import')} placeholder="https://www.puyop.com/s/…  R...../RRGG.." value={text.value} onInput={(e) => (text.value = e.currentTarget.value)} />
          <button type="button" class="ghost small" data-act="load" onClick={() => { running.value = null; void load(); }}>{t('share.load')}</button>
        </section>
        <section>
          <h2>{t('pv.address')}</h2>
          <div class="row">
            <input class="field-text" readOnly aria-label={t('pv.address')} value={c?.url ?? ''} />
            <button type="button" class="ghost small" onClick={() => void navigator.clipboard?.writeText(c?.url ?? '').then(() => (copied.value = true))}>{t(copied.value ? 'share.copied' : 'share.copy')}</button>
          </div>
        </section>
        <section>
          <h2>{t('pv.puzzle')}</h2>
          <p class="mute sm">{t('pv.puzzleHelp')}</p>
          <div class="row">
            <input class="field-text" aria-label={t('pv.puzzlePairs')} value={pairs.value} onInput={(e) => (pairs.value = e.currentTarget.value)} />
            <button type="button" class="go" data-act="puzzle" disabled={!c || !!error.value} onClick={() => c && play(c.url)}>{t('pv.playIt')}</button>
          </div>
        </section>
        <section class="grow" />
      </aside>
    </div>
  );
}
