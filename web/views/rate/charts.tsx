// A bench in pictures: ratings with intervals, who scores what against whom, and a sequential test on its way.
import { Chart } from '../../ui/chart';
import { number, t } from '../../ui/i18n';
import type { Bench, Pairing, Player } from './benches';

const order = (players: Player[]): Player[] => [...players].sort((a, b) => (b.rating ?? -Infinity) - (a.rating ?? -Infinity));

// Round numbers across a range: three at least, seven at most.
function ticks(low: number, high: number): number[] {
  const step = [25, 50, 100, 200, 250, 500, 1000, 2000].find((s) => (high - low) / s <= 6) ?? 5000;
  const found = [];
  for (let v = Math.ceil(low / step) * step; v <= high; v += step) found.push(v);
  return found;
}

export function Ratings({ bench }: { bench: Bench }) {
  const rated = bench.status.players.filter((p) => p.rating !== undefined);
  if (rated.length === 0) return <p class="mute sm plotless">{t('rate.wait')}</p>;
  const low = Math.min(...rated.map((p) => Math.max(p.low ?? p.rating!, p.rating! - 400)));
  const high = Math.max(...rated.map((p) => Math.min(p.high ?? p.rating!, p.rating! + 400)));
  const room = Math.max(20, (high - low) * 0.05);
  const place = (v: number) => `${((100 * (Math.min(high + room, Math.max(low - room, v)) - low + room)) / (high - low + 2 * room)).toFixed(2)}%`;
  return (
    <table class="dots" data-table="ratings">
      <thead>
        <tr class="hidden"><th scope="col">{t('rate.player')}</th><th scope="col">{t('rate.interval')}</th><th scope="col">{t('rate.rating')}</th><th scope="col">{t('rate.score')}</th></tr>
      </thead>
      <tbody>
        {order(bench.status.players).map((p) => (
          <tr key={p.name}>
            <th scope="row" title={p.agent}>{p.name}</th>
            <td class="dotcell">
              {ticks(low - room, high + room).map((v) => <i key={v} class="tick" style={{ left: place(v) }} />)}
              {p.rating !== undefined && <><i class="whisker" style={{ left: place(p.low ?? p.rating), right: `calc(100% - ${place(p.high ?? p.rating)})` }} /><i class="point" style={{ left: place(p.rating) }} /></>}
            </td>
            <td class="r">{p.rating === undefined ? '–' : <><b>{Math.round(p.rating)}</b> <span class="mute">± {Math.round(((p.high ?? 0) - (p.low ?? 0)) / 2)}</span></>}</td>
            <td class="r mute d2">{p.games > 0 ? `${Math.round((100 * (p.wins + p.draws / 2)) / p.games)} %` : ''}</td>
          </tr>
        ))}
        <tr aria-hidden="true" class="scale"><td /><td class="dotcell">{ticks(low - room, high + room).map((v) => <span key={v} class="mute" style={{ left: place(v) }}>{v}</span>)}</td><td /><td class="d2" /></tr>
      </tbody>
    </table>
  );
}

export function Heat({ bench }: { bench: Bench }) {
  const players = bench.status.players;
  const sorted = order(players).map((p) => players.indexOf(p));
  const score = (i: number, j: number): { share: number; p: Pairing } | null => {
    const p = bench.pairings.find((x) => (x.a === i && x.b === j) || (x.a === j && x.b === i));
    if (!p || p.wins + p.draws + p.losses === 0) return null;
    return { share: p.a === i ? p.score : 1 - p.score, p };
  };
  return (
    <div class="scrollx" tabIndex={0} role="region" aria-label={t('rate.heat')}>
      <table class="heat">
        <thead><tr><td />{sorted.map((j) => <th key={j} scope="col" style={{ '--w': `${(100 / sorted.length).toFixed(1)}%` }}><span>{players[j]!.name}</span></th>)}</tr></thead>
        <tbody>
          {sorted.map((i) => (
            <tr key={i}>
              <th scope="row">{players[i]!.name}</th>
              {sorted.map((j) => {
                const s = i === j ? null : score(i, j);
                const n = s ? s.p.wins + s.p.draws + s.p.losses : 0;
                return <td key={j} class={s ? 'on' : ''} style={s ? { '--h': `${Math.round(6 + 40 * s.share)}%` } : undefined} title={s ? t('rate.cell', { n: number(n) }) : undefined}>{s ? Math.round(100 * s.share) : ''}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const verdicts = { accepted: 'rate.h1', rejected: 'rate.h0', undecided: 'rate.open' } as const;

export function Sprt({ bench }: { bench: Bench }) {
  const s = bench.sprt;
  if (!s) return null;
  const points = s.history.length > 0 ? s.history : [[0, 0] as [number, number]];
  return (
    <section class="card" data-chart="sprt">
      <div class="row"><h2>{t('rate.sprt', { a: s.elo0, b: s.elo1 })}</h2><span class="sp" /><span class={s.verdict === 'undecided' ? 'chip' : 'chip on'}>{t(verdicts[s.verdict])}</span></div>
      <Chart label={`${t('rate.sprt', { a: s.elo0, b: s.elo1 })}: LLR ${s.llr.toFixed(2)}`} x={points.map((p) => p[0])} curves={[{ name: `LLR ${s.llr.toFixed(2)}`, y: points.map((p) => p[1]) }]} from={s.lower * 1.12} to={s.upper * 1.12} format={(v) => v.toFixed(1)} formatX={number} height={180} marks={[{ y: s.upper, name: t('rate.h1'), left: true }, { y: s.lower, name: t('rate.h0'), left: true }]} />
    </section>
  );
}
