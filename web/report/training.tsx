// The report of a training run: the curves of the Train view, then everything else that the log has.
import { signal, useSignal } from '@preact/signals';
import { Chart, short, type Curve } from '../ui/chart';
import { gameOf } from '../games';
import { number, t, word } from '../ui/i18n';
import { Curves, heads, of, thin, value } from '../views/train/charts';
import type { Row, RunInfo, RunState } from '../views/train/runs';
import { clock } from '../views/server';
import { Replay } from '../views/rate/games';
import type { RecordedGame } from '../views/rate/benches';
import { stateOf, type Board } from './boards';
import { r, spoken, type Text } from './texts';

interface State extends RunState {
  games?: number | null;
  positions?: number | null;
  elo?: { elo: number; low: number; high: number; step: number; best: number; best_step?: number } | null;
  matches?: { opponent: string; step: number; score: number | null; low: number | null; high: number | null; games: number | null }[];
}
export interface TrainingDoc {
  kind: 'training';
  name: string;
  made: string;
  over: 'step' | 'time';
  unit: 'step' | 'decision';
  version: string;
  state: State;
  unreadable?: number;
  unreadableFirst?: string;
  options: Record<string, string>;
  lines: number;
  rows: Row[];
  games: { step: number; score: string | number; plies: number; boards: Board[] }[];
}

interface Picture {
  section: Text;
  title: Text;
  kind: string;
  names: string; // parted by blanks; one that ends in * stands for all that begin so
  share?: boolean;
  zero?: boolean;
  log?: boolean;
  stacked?: boolean;
}

const pictures: Picture[] = [
  { section: 'learning', title: 'lossLog', kind: 'learn', names: 'loss loss_*', log: true },
  { section: 'learning', title: 'lr', kind: 'learn', names: 'lr', log: true },
  { section: 'learning', title: 'grad', kind: 'learn', names: 'grad_norm', log: true },
  { section: 'learning', title: 'reuse', kind: 'learn', names: 'reuse', zero: true },
  { section: 'learning', title: 'samples', kind: 'learn', names: 'samples', zero: true },
  { section: 'learning', title: 'q', kind: 'learn', names: 'q q_*' },
  { section: 'learning', title: 'samples_s', kind: 'learn', names: 'samples_s', zero: true },
  { section: 'heldout', title: 'agreement', kind: 'heldout', names: 'agreement', share: true, zero: true },
  { section: 'heldout', title: 'crossEntropy', kind: 'heldout', names: 'entropy' },
  { section: 'heldout', title: 'shortfall', kind: 'heldout', names: 'shortfall', share: true, zero: true },
  { section: 'heldout', title: 'valueError', kind: 'heldout', names: 'value_error', zero: true },
  { section: 'selfplaySection', title: 'length', kind: 'selfplay', names: 'length' },
  { section: 'selfplaySection', title: 'entropy', kind: 'selfplay', names: 'entropy entropy_*' },
  { section: 'selfplaySection', title: 'results', kind: 'selfplay', names: 'first_wins second_wins draws', share: true, zero: true },
  { section: 'selfplaySection', title: 'games_s', kind: 'selfplay', names: 'games_s', zero: true },
  { section: 'selfplaySection', title: 'sims_s', kind: 'selfplay', names: 'sims_s', zero: true },
  { section: 'selfplaySection', title: 'moves_s', kind: 'selfplay', names: 'moves_s', zero: true },
  { section: 'selfplaySection', title: 'evaluator', kind: 'selfplay', names: 'batch_fill cache_hits', share: true, zero: true },
  { section: 'selfplaySection', title: 'threads', kind: 'shares', names: 'tree encode send transfer kernel network wait idle', stacked: true, share: true },
  { section: 'selfplaySection', title: 'queue', kind: 'selfplay', names: 'queue', zero: true },
  { section: 'selfplaySection', title: 'buffer', kind: 'selfplay', names: 'buffer', zero: true },
  { section: 'selfplaySection', title: 'staleness', kind: 'selfplay', names: 'staleness', zero: true },
  { section: 'selfplaySection', title: 'resign', kind: 'selfplay', names: 'resign_wrong', share: true, zero: true },
  { section: 'selfplaySection', title: 'gamesAll', kind: 'selfplay', names: 'games', zero: true },
  { section: 'selfplaySection', title: 'positionsAll', kind: 'selfplay', names: 'positions', zero: true },
  { section: 'episodes', title: 'rewards', kind: 'episode', names: 'reward_*' },
  { section: 'episodes', title: 'chainMost', kind: 'episode', names: 'chain_*', zero: true },
  { section: 'episodes', title: 'won', kind: 'episode', names: 'win', share: true, zero: true },
  { section: 'episodes', title: 'epLength', kind: 'episode', names: 'length', zero: true },
  { section: 'episodes', title: 'explore', kind: 'episode', names: 'epsilon beta', zero: true },
  { section: 'episodes', title: 'td', kind: 'episode', names: 'td_error', zero: true },
  { section: 'episodes', title: 'alone', kind: 'episode', names: 'alone_agrees alone_explains' },
  { section: 'episodes', title: 'stage', kind: 'episode', names: 'stage', zero: true },
  { section: 'episodes', title: 'episodesAll', kind: 'episode', names: 'episodes', zero: true },
];
// Shown by Curves, or no curves at all.
const shown: Record<string, string> = { learn: 'loss loss_*', selfplay: 'positions_s', shares: 'busy busy_*', episode: 'reward chain', elo: '*', match: '*', perfect: '*', time: '*', start: '*', limits: '*', done: '*', game: '*' };

const fits = (names: string, name: string): boolean => names.split(' ').some((p) => (p.endsWith('*') ? name.startsWith(p.slice(0, -1)) : p === name));
const namesOf = (rows: Row[], names: string): string[] => [...new Set(rows.flatMap((row) => Object.keys(row).filter((k) => k !== 'step' && k !== 'seconds' && typeof row[k] === 'number' && fits(names, k))))];
const plainName = (name: string): string => spoken(word('head', name.replace(/^(loss|reward|entropy|chain|q|busy)_/, '')));

// The mean of a window around each point, narrower at the ends: no lag, unlike a running mean that only knows the past.
function smooth(y: (number | null)[]): (number | null)[] {
  const reach = Math.max(2, Math.floor(y.length / 60));
  return y.map((_, i) => {
    const half = Math.min(i, y.length - 1 - i, reach);
    const near = y.slice(i - half, i + half + 1).filter((v): v is number => v !== null);
    return near.length > 0 ? near.reduce((a, b) => a + b, 0) / near.length : null;
  });
}

interface Axis {
  formatX(v: number): string;
  breaks: number[];
}

function curvesOf(rows: Row[], names: string[]): Curve[] {
  return names.flatMap((k, i): Curve[] => {
    const y = rows.map((row) => value(row, k));
    const colour = heads[i % heads.length]!;
    const name = names.length > 1 ? (k === 'loss' ? word('train', 'total') : plainName(k)) : '';
    return y.length > 60 ? [{ name: '', y, colour, faint: true }, { name, y: smooth(y), colour }] : [{ name, y, colour }];
  });
}

// Parts of a whole: each curve is the sum of its part and those below, the highest drawn first.
function stackOf(rows: Row[], names: string[]): Curve[] {
  const parts = names.map((k) => rows.map((row) => value(row, k) ?? 0));
  const sums = parts.map((_, i) => rows.map((_row, at) => parts.slice(0, i + 1).reduce((n, p) => n + p[at]!, 0)));
  return sums.map((y, i): Curve => ({ name: plainName(names[i]!), y, colour: heads[i % heads.length]!, area: true, value: (at) => parts[i]![at]! })).reverse();
}

function Card({ title, children, chart }: { title: string; chart?: string; children: preact.ComponentChildren }) {
  return <section class="card" data-chart={chart}><h2>{title}</h2>{children}</section>;
}

// A logarithmic scale needs positive numbers, and pays over more than a decade.
function wide(rows: Row[], names: string[]): boolean {
  const all = names.flatMap((k) => rows.flatMap((row) => value(row, k) ?? []));
  const low = Math.min(...all);
  return low > 0 && Math.max(...all) / low > 20;
}

function Picture({ p, rows, axis }: { p: Picture; rows: Row[]; axis: Axis }) {
  const mine = thin(of(rows, p.kind), 600).filter((row) => namesOf([row], p.names).length > 0);
  const names = namesOf(mine, p.names);
  if (names.length === 0) return null;
  const percent = p.share ? { format: (v: number) => `${short(100 * v)}` } : {};
  return (
    <Card title={r(p.title)} chart={p.title}>
      <Chart label={r(p.title)} x={mine.map((row) => row.step)} curves={p.stacked ? stackOf(mine, names) : curvesOf(mine, names)} {...axis} {...percent} {...(p.zero || p.stacked ? { from: 0 } : {})} {...(p.stacked ? { to: 1 } : {})} log={!!p.log && wide(mine, names)} />
    </Card>
  );
}

const has = (rows: Row[], kind: string, names: string): boolean => rows.some((row) => row.kind === kind && namesOf([row], names).length > 0);

function Sections({ rows, axis }: { rows: Row[]; axis: Axis }) {
  const sections = [...new Set(pictures.map((p) => p.section))];
  return (
    <>
      {sections.map((s) => {
        const list = pictures.filter((p) => p.section === s && has(rows, p.kind, p.names));
        return list.length > 0 && <section key={s} class="part" data-part={s}><h1>{r(s)}</h1><div class="pictures">{list.map((p) => <Picture key={p.title} p={p} rows={rows} axis={axis} />)}</div></section>;
      })}
    </>
  );
}

// --- strength

function Strength({ doc, rows, axis }: { doc: TrainingDoc; rows: Row[]; axis: Axis }) {
  const match = of(rows, 'match');
  // Networks of earlier steps are met once each: together they are one curve.
  const named = (m: Row): string => (/^step \d+$/.test(String(m['opponent'])) ? r('earlier') : String(m['opponent']));
  const who = [...new Set(match.map(named))];
  if (who.length === 0) return null;
  const x = [...new Set(match.map((m) => m.step))].sort((a, b) => a - b);
  const curves = (name: string, band: boolean): Curve[] =>
    who.flatMap((w, i): Curve[] => {
      const by = new Map(match.filter((m) => named(m) === w && value(m, name) !== null).map((m) => [m.step, m]));
      if (by.size === 0) return [];
      const take = (k: string) => x.map((at) => (by.has(at) ? value(by.get(at)!, k) : null));
      return [{ name: w, y: take(name), colour: heads[i % heads.length]!, ...(band ? { low: take('low'), high: take('high') } : {}) }];
    });
  const last = [...(doc.state.matches ?? [])].reverse();
  return (
    <section class="part" data-part="strength">
      <h1>{r('strength')}</h1>
      <div class="pictures">
        <Card title={r('opponents')} chart="opponents"><Chart label={r('opponents')} x={x} curves={curves('score', true)} from={0} to={1} format={(v) => String(Math.round(100 * v))} height={220} {...axis} /></Card>
        {match.some((m) => value(m, 'chain') !== null) && <Card title={r('chains')} chart="chains"><Chart label={r('chains')} x={x} curves={curves('chain', false)} from={0} height={220} {...axis} /></Card>}
        {last.length > 0 && (
          <Card title={r('last')} chart="last">
            <div class="scrolly" tabIndex={0} role="region" aria-label={r('last')}><table class="tb"><tbody>
              {last.map((m) => (
                <tr key={m.opponent}><th scope="row" class="wraps">{m.opponent.replace(/^step (?=\d+$)/, `${r('step')} `)}</th><td class="r"><b>{m.score === null ? '–' : `${Math.round(100 * m.score)} %`}</b>{m.low !== null && m.high !== null && <span class="mute"> ({Math.round(100 * m.low)} – {Math.round(100 * m.high)})</span>}</td><td class="r mute">{t('rate.cell', { n: number(m.games ?? 0) })}</td></tr>
              ))}
            </tbody></table></div>
          </Card>
        )}
      </div>
    </section>
  );
}

// --- time by stage

function Stages({ rows, axis }: { rows: Row[]; axis: Axis }) {
  const lines = of(rows, 'time');
  const names = namesOf(lines, '*');
  if (names.length === 0) return null;
  // A run's last line has the saving alone: it belongs to the step before it.
  const all: Row[] = [];
  for (const line of lines) {
    const before = all.at(-1);
    if (before?.step === line.step) all[all.length - 1] = { ...before, ...Object.fromEntries(names.map((k) => [k, (value(before, k) ?? 0) + (value(line, k) ?? 0)])) };
    else all.push(line);
  }
  const sum = (row: Row) => names.reduce((n, k) => n + Math.max(0, value(row, k) ?? 0), 0);
  const shares = thin(all, 600).filter((row) => sum(row) > 0).map((row) => ({ ...row, ...Object.fromEntries(names.map((k) => [k, Math.max(0, value(row, k) ?? 0) / sum(row)])) }) as Row);
  const totals = names.map((k) => [k, all.reduce((n, row) => n + Math.max(0, value(row, k) ?? 0), 0)] as const).sort((a, b) => b[1] - a[1]);
  const whole = totals.reduce((n, [, v]) => n + v, 0) || 1;
  return (
    <section class="part" data-part="time">
      <h1>{r('timeSection')}</h1>
      <div class="pictures">
        <Card title={r('stages')} chart="stages"><Chart label={r('stages')} x={shares.map((row) => row.step)} curves={stackOf(shares, names)} from={0} to={1} format={(v) => String(Math.round(100 * v))} {...axis} /></Card>
        <Card title={r('stageTotals')} chart="totals">
          <table class="tb bars"><tbody>{totals.map(([k, v]) => <tr key={k}><th scope="row">{plainName(k)}</th><td class="fill"><i style={{ width: `${(100 * v) / totals[0]![1]}%` }} /></td><td class="r">{clock(v)}</td><td class="r mute">{((100 * v) / whole).toFixed(1)} %</td></tr>)}</tbody></table>
        </Card>
      </div>
    </section>
  );
}

// --- numbers that no picture is made for: one each

function Others({ rows, axis }: { rows: Row[]; axis: Axis }) {
  const kinds = [...new Set(rows.map((row) => row.kind))];
  const known = (kind: string, name: string) => fits(shown[kind] ?? '', name) || pictures.some((p) => p.kind === kind && fits(p.names, name));
  const list = kinds.flatMap((kind) => namesOf(of(rows, kind), '*').filter((name) => !known(kind, name)).map((name) => ({ kind, name })));
  if (list.length === 0) return null;
  return (
    <section class="part" data-part="others">
      <h1>{r('others')}</h1>
      <div class="pictures">
        {list.slice(0, 64).map(({ kind, name }) => {
          const mine = thin(of(rows, kind), 600).filter((row) => value(row, name) !== null);
          return <Card key={`${kind} ${name}`} title={`${spoken(kind)}: ${spoken(name)}`} chart={`${kind}-${name}`}><Chart label={`${spoken(kind)}: ${spoken(name)}`} x={mine.map((row) => row.step)} curves={curvesOf(mine, [name])} {...axis} /></Card>;
        })}
      </div>
    </section>
  );
}

// --- beside the curves

function Summary({ doc }: { doc: TrainingDoc }) {
  const s = doc.state;
  const start = of(doc.rows, 'start').at(-1);
  const again = of(doc.rows, 'start').filter((row) => (value(row, 'resumed') ?? 0) > 0).length;
  const at = (n: number) => r('atStep', { unit: r(doc.unit), n: number(n) });
  const facts: [string, string][] = [
    [r('state'), s.running ? r('running') : s.ended ? word('train.ended', s.ended) : r('stopped')],
    [doc.unit === 'step' ? r('overStep') : r('overDecision'), number(s.step)],
    [r('time'), clock(s.seconds)],
    [r('began'), s.began.replace('T', ' ').replace('Z', ' UTC')],
  ];
  if (s.games) facts.push([r('games'), number(Math.round(s.games))]);
  if (s.positions) facts.push([r('positions'), number(Math.round(s.positions))]);
  if (s.elo) facts.push([r('elo'), `${Math.round(s.elo.elo)} (${Math.round(s.elo.low)} – ${Math.round(s.elo.high)}) ${at(s.elo.step)}`]);
  if (s.elo) facts.push([r('best'), `${Math.round(s.elo.best)}${s.elo.best_step !== undefined ? ` ${at(s.elo.best_step)}` : ''}`]);
  if (start?.['cpu']) facts.push([r('machine'), `${start['cpu']}, ${r('cores', { n: start['cores'] ?? '?' })}, ${start['simd'] ?? ''}`]);
  if (again > 0) facts.push([r('resumed'), r('resumedHelp', { n: again })]);
  if (doc.version) facts.push([r('version'), doc.version]);
  if (doc.unreadable) facts.push([r('unreadable'), `${doc.unreadable}: ${doc.unreadableFirst}`]);
  return (
    <section class="card" data-table="summary">
      <h2>{r('summary')}</h2>
      <table class="tb"><tbody>{facts.map(([k, v]) => <tr key={k}><th scope="row">{k}</th><td class="wraps">{v}</td></tr>)}</tbody></table>
    </section>
  );
}

function SelfPlay({ doc }: { doc: TrainingDoc }) {
  const which = useSignal(doc.games.length - 1);
  const g = doc.games[which.value];
  const side = (i: number): string => { const key = gameOf(doc.state.game)?.sides[i]; return key ? t(key) : String(i + 1); };
  if (!g || g.plies === 0) return null;
  const game = { number: which.value, first: side(0), second: side(1), score: Number(g.score), reason: 'discs', plies: g.plies, opening: '', game: doc.state.game, moves: '', text: '' } as RecordedGame;
  return (
    <section class="card" data-table="selfplay">
      <div class="row"><h2>{r('selfplay')}</h2><span class="sp" />
        <select class="select sm" aria-label={r('selfplayPick')} value={String(which.value)} onChange={(e) => (which.value = Number(e.currentTarget.value))}>
          {doc.games.map((one, i) => <option key={i} value={String(i)}>{r(doc.unit)} {number(one.step)}</option>)}
        </select>
      </div>
      <Replay key={which.value} source={{ board: (_g, ply) => Promise.resolve(stateOf(doc.state.game, g.boards[ply]!)) }} game={game} />
    </section>
  );
}

function Options({ doc }: { doc: TrainingDoc }) {
  return (
    <section class="card" data-table="options">
      <details open={Object.keys(doc.options).length < 12}>
        <summary><h2>{r('options')}</h2></summary>
        <table class="tb"><tbody>{Object.entries(doc.options).map(([k, v]) => <tr key={k}><th scope="row">{k}</th><td class="wraps">{v || '–'}</td></tr>)}</tbody></table>
      </details>
    </section>
  );
}

export function TrainingReport({ doc }: { doc: TrainingDoc }) {
  const over = useSignal(doc.over);
  const timed = over.value === 'time';
  const rows = timed ? doc.rows.map((row) => ({ ...row, step: row.seconds }) as Row) : doc.rows;
  const axis: Axis = { formatX: timed ? clock : number, breaks: of(rows, 'start').filter((row) => (value(row, 'resumed') ?? 0) > 0).map((row) => row.step) };
  const info = { name: doc.name, mine: false, state: doc.state, options: doc.options, networks: [] } as RunInfo;
  const pick = (v: 'step' | 'time', text: string) => <button type="button" aria-pressed={over.value === v} onClick={() => (over.value = v)}>{text}</button>;
  return (
    <main>
      <div class="row head reporthead">
        <h1>{word('game', doc.state.game)} <span class="mute sm runname">{doc.state.algo} · {doc.name}</span></h1>
        <span class={doc.state.running ? 'chip on' : 'chip'}>{doc.state.running ? r('running') : doc.state.ended ? word('train.ended', doc.state.ended) : r('stopped')}</span>
        <span class="sp" />
        <span class="pick" role="group" aria-label={r('over')}>{pick('step', r(doc.unit === 'step' ? 'overStep' : 'overDecision'))}{pick('time', r('overTime'))}</span>
      </div>
      <div class="wide">
        <div class="col"><Curves key={over.value} run={{ name: doc.name, rows: signal(rows), info: signal(info) }} compared={[]} {...axis} /></div>
        <div class="col side"><Summary doc={doc} /><SelfPlay doc={doc} /><Options doc={doc} /></div>
      </div>
      <div class="parts" key={over.value}>
        <Strength doc={doc} rows={rows} axis={axis} />
        <Sections rows={rows} axis={axis} />
        <Stages rows={rows} axis={axis} />
        <Others rows={rows} axis={axis} />
        <p class="mute sm">{r('thinned', { all: number(doc.lines) })}</p>
      </div>
    </main>
  );
}
