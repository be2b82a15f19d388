// How often does the advisor finish its fold within N turns? Games run in the worker, a few at a time; the curves grow with them.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { PuyoEngine, Simulated } from '../../engine/puyo';
import { number, t, told, word, type Key } from '../../ui/i18n';

interface Row {
  turns: number;
  games: number;
  hits: number;
  low: number;
  high: number;
  taken: number;
  failures: Record<string, number>;
  curve: [number, number, number, number][]; // games, rate, low, high
}
const LENGTHS = [10, 12, 15, 20];
const PAD = { l: 40, r: 76, t: 12, b: 28 };

function Chart({ rows, games }: { rows: Row[]; games: number }) {
  const [W, H] = innerWidth < 700 || innerHeight <= 520 ? [360, 260] : [640, 320]; // a narrow twin instead of small letters
  const seen = rows.flatMap((r) => r.curve.slice(1).map((c) => c[2]));
  const floor = Math.max(0, Math.floor(10 * Math.min(0.8, ...(seen.length ? seen : [0.5]))) / 10);
  const x = (n: number) => PAD.l + ((W - PAD.l - PAD.r) * n) / games;
  const y = (v: number) => PAD.t + (H - PAD.t - PAD.b) * (1 - (Math.max(floor, v) - floor) / (1 - floor));
  const ticks = Array.from({ length: 6 }, (_, i) => floor + ((1 - floor) * i) / 5);
  // Labels of curves that end close to each other are pushed apart.
  const ends = rows.filter((r) => r.games > 0).map((r) => ({ r, y: y(r.hits / r.games) })).sort((a, b) => a.y - b.y);
  ends.forEach((e, i) => i > 0 && (e.y = Math.max(e.y, ends[i - 1]!.y + 16)));
  return (
    <svg class="chart pv-chart" viewBox={`0 0 ${W} ${H}`} role="img" aria-label={t('pv.chart')}>
      {ticks.map((v) => (
        <g key={v}>
          <path class="g" d={`M${PAD.l} ${y(v)}H${W - PAD.r}`} />
          <text x={PAD.l - 6} y={y(v) + 4} text-anchor="end">{Math.round(100 * v)}</text>
        </g>
      ))}
      {[0, 0.25, 0.5, 0.75, 1].map((f) => <text key={f} x={x(f * games)} y={H - 8} text-anchor="middle">{number(Math.round(f * games))}</text>)}
      {rows.map((r, i) => {
        const c = r.curve.filter(([n]) => n > 0);
        if (c.length === 0) return null;
        const band = `M${c.map(([n, , , h]) => `${x(n)} ${y(h)}`).join('L')}L${c.toReversed().map(([n, , l]) => `${x(n)} ${y(l)}`).join('L')}Z`;
        return (
          <g key={r.turns} data-curve={r.turns} data-points={c.length}>
            <path class="a" d={band} />
            <path class="c" d={`M${c.map(([n, v]) => `${x(n)} ${y(v)}`).join('L')}`} stroke-dasharray={['', '8 3', '3 3', '10 3 2 3'][i]} />
          </g>
        );
      })}
      {rows.length === 0 && <text x={(PAD.l + W - PAD.r) / 2} y={H / 2} text-anchor="middle" class="pv-none">{t('pv.simulateNone')}</text>}
      {ends.map(({ r, y: at }) => (
        <text key={r.turns} x={Math.min(x(r.games) + 6, W - PAD.r + 6)} y={at + 4} class="pv-end">{t('pv.turnsShort', { n: r.turns })} {((100 * r.hits) / r.games).toFixed(1)}</text>
      ))}
    </svg>
  );
}

export function Simulate({ engine }: { engine: PuyoEngine }) {
  const mode = useSignal<'seed' | 'plus'>('seed');
  const pairs = useSignal('blocks');
  const games = useSignal(2000);
  const rows = useSignal<Row[]>([]);
  const running = useSignal(false);
  const error = useSignal('');
  const run = useRef(0);
  useEffect(() => () => void run.current++, []);

  const start = async () => {
    const mine = ++run.current;
    const seed = Number(new URLSearchParams(location.search).get('seed')) || Math.floor(Math.random() * 1e9);
    let now: Row[] = LENGTHS.map((turns) => ({ turns, games: 0, hits: 0, low: 0, high: 1, taken: 0, failures: {}, curve: [] }));
    rows.value = now;
    running.value = true;
    error.value = '';
    const chunk = mode.value === 'plus' ? 8 : 40;
    try {
      while (now.some((r) => r.games < games.value))
        for (const r of now) {
          if (r.games >= games.value) continue;
          const s: Simulated = await engine.simulate({ turns: r.turns, seed, first: r.games, games: Math.min(chunk, games.value - r.games), mode: mode.value, pairs: pairs.value, before: r.games, hits: r.hits });
          if (mine !== run.current) return;
          const all = r.games + s.games;
          const hits = r.hits + s.successes;
          const failures = { ...r.failures };
          for (const [k, n] of Object.entries(s.failures)) failures[k] = (failures[k] ?? 0) + n;
          const next: Row = { ...r, games: all, hits, low: s.low, high: s.high, taken: r.taken + s.taken, failures, curve: [...r.curve, [all, hits / all, s.low, s.high]] };
          now = now.map((x) => (x.turns === r.turns ? next : x));
          rows.value = now;
        }
    } catch (e) {
      error.value = told(e);
    }
    if (mine === run.current) running.value = false;
  };
  const stop = () => {
    run.current++;
    running.value = false;
  };
  const failures = Object.entries(rows.value.reduce<Record<string, number>>((sum, r) => {
    for (const [k, n] of Object.entries(r.failures)) sum[k] = (sum[k] ?? 0) + n;
    return sum;
  }, {})).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const lost = failures.reduce((n, [, k]) => n + k, 0);
  return (
    <div class="pv-game pv-wide">
      <div class="panel pv-chartbox">
        <section>
          <h1>{t('pv.simulate')}</h1>
          <p class="mute sm">{t('pv.simulateHelp')}</p>
        </section>
        <section><Chart rows={rows.value} games={games.value} /></section>
      </div>
      <aside class="panel pv-side">
        <section class="pv-form">
          <label class="row"><span>{t('pv.mode')}</span><span class="sp" />
            <select class="select" value={mode.value} disabled={running.value} onChange={(e) => (mode.value = e.currentTarget.value as 'seed')}><option>seed</option><option>plus</option></select>
          </label>
          <p class="mute sm">{t(`pv.mode.${mode.value}`)}</p>
          <label class="row"><span>{t('pv.pairs')}</span><span class="sp" />
            <select class="select" value={pairs.value} disabled={running.value} onChange={(e) => (pairs.value = e.currentTarget.value)}>{['blocks', 'arcade', 'uniform'].map((p) => <option key={p} value={p}>{word('pv.kind', p)}</option>)}</select>
          </label>
          <label class="row"><span>{t('pv.perLength')}</span><span class="sp" />
            <select class="select" value={games.value} disabled={running.value} onChange={(e) => (games.value = Number(e.currentTarget.value))}>{[400, 2000, 10000].map((n) => <option key={n} value={n}>{number(n)}</option>)}</select>
          </label>
          <div class="row pv-buttons">
            {running.value
              ? <button type="button" class="ghost" data-act="stop" onClick={stop}>{t('review.stop')}</button>
              : <button type="button" class="go" data-act="run" onClick={() => void start()}>{t('pv.run')}</button>}
            <span class="mute sm" role="status">{rows.value.length > 0 ? t('pv.played', { n: number(rows.value.reduce((n, r) => n + r.games, 0)) }) : ''}</span>
          </div>
          {error.value && <p class="error" role="alert">{error.value}</p>}
        </section>
        <section>
          <table class="tb">
            <thead><tr><th scope="col">{t('pv.turns')}</th><th scope="col" class="r">{t('pv.rate')}</th><th scope="col" class="r">95 %</th><th scope="col" class="r">{t('pv.meanTurns')}</th></tr></thead>
            <tbody>
              {(rows.value.length ? rows.value : LENGTHS.map((turns) => ({ turns, games: 0, hits: 0, low: 0, high: 1, taken: 0 }))).map((r) => (
                <tr key={r.turns}>
                  <td>{r.turns}</td>
                  <td class="r num">{r.games ? `${((100 * r.hits) / r.games).toFixed(1)} %` : '–'}</td>
                  <td class="r mute">{r.games ? `${(100 * r.low).toFixed(1)}–${(100 * r.high).toFixed(1)}` : ''}</td>
                  <td class="r mute">{r.hits ? (r.taken / r.hits).toFixed(1) : ''}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <section class="grow">
          <h2>{t('pv.why')}</h2>
          {failures.length === 0 ? <p class="mute sm">–</p> : (
            <ul class="pv-list">
              {failures.map(([k, n]) => <li key={k} class="row"><span>{t(`pv.fail.${k}` as Key)}</span><span class="sp" /><b>{((100 * n) / lost).toFixed(0)} %</b></li>)}
            </ul>
          )}
        </section>
      </aside>
    </div>
  );
}
