// The curves of a run, from the rows of its log; other runs beside it where they are compared.
import { Chart, short, type Curve } from '../../ui/chart';
import { number, t, word } from '../../ui/i18n';
import type { Row, Run } from './runs';

const others = ['--puyo', '--contrast', '--renju', '--plain', '--p2'];
export const heads = ['--accent', '--p2', '--puyo', '--contrast', '--renju', '--mute'];

export const of = (rows: Row[], kind: string): Row[] => rows.filter((r) => r.kind === kind);
export const value = (r: Row, name: string): number | null => (typeof r[name] === 'number' ? (r[name] as number) : null);

// As many rows as a screen can show.
export function thin(all: Row[], most = 400): Row[] {
  const rows = all.filter((r, i) => all[i + 1]?.step !== r.step); // a step's last row
  if (rows.length <= most) return rows;
  const by = Math.ceil(rows.length / most);
  return rows.filter((_, i) => i % by === 0 || i === rows.length - 1);
}

export type Rows = Pick<Run, 'name' | 'rows' | 'info'>; // of the server, or of a report

interface Source {
  run: Rows;
  colour: string;
  name: string;
}

// One number of one kind of row, over several runs: steps of all of them, gaps where a run has none.
function together(sources: Source[], kind: string, take: (r: Row) => { y: number | null; low?: number | null; high?: number | null }, name: (last: Row) => string): { x: number[]; curves: Curve[]; last: Row | undefined } {
  const all = sources.map((s) => thin(of(s.run.rows.value, kind)));
  const x = [...new Set(all.flatMap((rows) => rows.map((r) => r.step)))].sort((a, b) => a - b);
  const curves = sources.flatMap((s, i) => {
    const rows = all[i]!;
    if (rows.length === 0) return [];
    const by = new Map(rows.map((r) => [r.step, take(r)]));
    const end = name(rows.at(-1)!);
    const one: Curve = { name: sources.length > 1 ? `${s.name} ${end}` : end, y: x.map((k) => by.get(k)?.y ?? null), colour: s.colour };
    if (rows.some((r) => take(r).low !== undefined)) {
      one.low = x.map((k) => by.get(k)?.low ?? null);
      one.high = x.map((k) => by.get(k)?.high ?? null);
    }
    return [one];
  });
  return { x, curves, last: all[0]?.at(-1) };
}

export function Curves({ run, compared, formatX, breaks = [] }: { run: Rows; compared: Rows[]; formatX?: (v: number) => string; breaks?: number[] }) {
  const rows = run.rows.value;
  const sources: Source[] = [{ run, colour: '--accent', name: run.name.slice(-6) }, ...compared.map((r, i) => ({ run: r, colour: others[i % others.length]!, name: r.name.slice(-6) }))];
  const anchor = run.info.value?.options['anchor'];
  const elo = together(sources, 'elo', (r) => ({ y: value(r, 'elo'), low: value(r, 'low'), high: value(r, 'high') }), (r) => `${Math.round(value(r, 'elo') ?? 0)} ± ${Math.round(((value(r, 'high') ?? 0) - (value(r, 'low') ?? 0)) / 2)}`);
  const right = together(sources, 'perfect', (r) => ({ y: value(r, 'right') }), (r) => `${(100 * (value(r, 'right') ?? 0)).toFixed(1)} %`);
  const reward = together(sources, 'episode', (r) => ({ y: value(r, 'reward') }), (r) => short(value(r, 'reward') ?? 0));
  const chain = together(sources, 'episode', (r) => ({ y: value(r, 'chain') }), (r) => short(value(r, 'chain') ?? 0));
  const learn = thin(of(rows, 'learn'));
  const play = thin(of(rows, 'selfplay'));
  const shares = thin(of(rows, 'shares'));
  const losses = [...new Set(learn.flatMap((r) => Object.keys(r).filter((k) => k.startsWith('loss'))))];
  const step = formatX ?? number;
  return (
    <>
      {right.x.length > 0 && (
        <section class="card first" data-chart="perfect">
          <div class="row"><h2>{t('train.perfect')}</h2><span class="sp" />{right.last && <b class="big" data-right={value(right.last, 'right') ?? 0}>{(100 * (value(right.last, 'right') ?? 0)).toFixed(1)} %</b>}</div>
          <Chart label={`${t('train.perfect')}: ${right.curves[0]?.name ?? ''}`} x={right.x} curves={right.curves} format={(v) => `${Math.round(100 * v)}`} formatX={step} breaks={breaks} from={0.5} to={1} height={200} />
        </section>
      )}
      {(elo.x.length > 0 || reward.x.length === 0) && (
        <section class="card first" data-chart="elo">
          <h2>{t('train.elo', { anchor: anchor || '–' })}</h2>
          {elo.x.length === 0 ? <p class="mute sm plotless">{t(run.info.value?.state.running ? 'train.eloWait' : 'train.eloNone')}</p> : (
            <Chart label={`${t('train.elo', { anchor: anchor || '–' })}: ${elo.curves[0]?.name ?? ''}`} x={elo.x} curves={elo.curves} format={(v) => String(Math.round(v))} formatX={step} breaks={breaks} height={right.x.length > 0 ? 200 : 280} marks={anchor ? [{ y: 1000, name: anchor }] : []} />
          )}
        </section>
      )}
      {reward.x.length > 0 && (
        <div class="two">
          <section class="card" data-chart="reward"><h2>{t('train.reward')}</h2><Chart label={t('train.reward')} x={reward.x} curves={reward.curves} formatX={step} breaks={breaks} /></section>
          <section class="card" data-chart="chain"><h2>{t('train.chain')}</h2><Chart label={t('train.chain')} x={chain.x} curves={chain.curves} formatX={step} breaks={breaks} from={0} /></section>
        </div>
      )}
      {(learn.length + play.length > 0 || run.info.value?.state.running) && <div class="two">
        <section class="card" data-chart="loss">
          <h2>{t('train.loss')}</h2>
          {learn.length === 0 ? <p class="mute sm plotless">{t('train.lossNone')}</p> : (
            <Chart label={t('train.loss')} x={learn.map((r) => r.step)} formatX={step} breaks={breaks} from={0} curves={losses.map((k, i) => ({ name: k === 'loss' ? t('train.total') : word('head', k.slice(5)), y: learn.map((r) => value(r, k)), colour: heads[i % heads.length]! }))} />
          )}
        </section>
        <section class="card" data-chart="speed">
          <h2>{t('train.speed')}</h2>
          {play.length === 0 ? <p class="mute sm plotless">–</p> : (
            <Chart label={t('train.speed')} x={play.map((r) => r.step)} formatX={step} breaks={breaks} from={0} curves={[{ name: t('train.positions'), y: play.map((r) => value(r, 'positions_s')) }]} />
          )}
        </section>
      </div>}
      {shares.length > 0 && (
        <section class="card" data-chart="busy">
          <h2>{t('train.busy')}</h2>
          <Chart label={t('train.busy')} x={shares.map((r) => r.step)} formatX={step} breaks={breaks} format={(v) => `${Math.round(100 * v)}`} from={0} to={1} height={120}
            curves={[{ name: t('train.busyAll'), y: shares.map((r) => value(r, 'busy')) }, ...(['busy_play', 'busy_learn'] as const).filter((k) => shares.some((r) => value(r, k) !== null)).map((k, i) => ({ name: t(`train.${k}`), y: shares.map((r) => value(r, k)), colour: heads[i + 1]! }))]} />
        </section>
      )}
    </>
  );
}

// A run's folder ends with its date: the part that tells runs apart.
export const tail = (name: string): string => (name.length > 18 ? `…${name.slice(-15)}` : name);
