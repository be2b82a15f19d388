// The report of a bench: the pictures of the Rate view, the whole table, how ratings converged, and games to replay.
import { Chart } from '../ui/chart';
import { number, t, word } from '../ui/i18n';
import type { Bench, BenchGame, Pairing, RecordedGame } from '../views/rate/benches';
import { Heat, Ratings, Sprt } from '../views/rate/charts';
import { Games, type GameSource } from '../views/rate/games';
import { said } from '../views/rate/notes';
import { heads } from '../views/train/charts';
import { stateOf, type Board } from './boards';
import { testWords } from './test_words';
import { r, spoken } from './texts';

interface ListedGame extends BenchGame {
  ms: number;
  detail?: string;
  boards?: Board[];
}
export interface BenchDoc extends Omit<Bench, 'mine'> {
  kind: 'bench';
  made: string;
  title: string;
  build: string;
  openingCount: number;
  fit?: { model: string; errors: string; level: number; advantage: number };
  players: { name: string; agent: string; config: string; sequential?: number; nodesPerSecond: number }[];
  convergence: { games: number[]; ratings: number[][] };
  words: string[];
  everyGame: boolean;
  games: ListedGame[];
}

const result = (score: number): string => (score === 1 ? '1–0' : score === 0 ? '0–1' : '½–½');
// The most games of a sequential test are no measure of progress.
const played = (doc: BenchDoc): string => (doc.sprt ? number(doc.status.played) : r('of', { n: number(doc.status.played), all: number(doc.status.planned) }));
const three = (v: number): string => String(Number(v.toPrecision(3)));

function Facts({ doc }: { doc: BenchDoc }) {
  const s = doc.status;
  const facts: [string, string][] = [
    [r('games'), `${played(doc)}${s.complete ? '' : ` (${r('unfinished')})`}`],
    [r('schedule'), r('perPair', { name: spoken(String(doc.setup['schedule'])), n: number(Number(doc.setup['gamesPerPair'])) })],
    [r('openings'), `${spoken(String(doc.setup['openings']))}, ${number(doc.openingCount)}`],
    [r('seed'), String(doc.setup['seed'])],
    [r('build'), doc.build],
  ];
  if (doc.setup['options']) facts.unshift([r('gameOptions'), String(doc.setup['options'])]);
  const started = (s as { started?: string }).started;
  if (started) facts.push([r('began'), started.replace('T', ' ').replace('Z', ' UTC')]);
  return (
    <section class="card" data-table="run">
      <h2>{r('run')}</h2>
      <table class="tb"><tbody>
        {facts.map(([k, v]) => <tr key={k}><th scope="row">{k}</th><td class="wraps">{v}</td></tr>)}
        {doc.players.map((p) => <tr key={`p${p.name}`}><th scope="row" class="wraps">{p.name}</th><td class="wraps">{p.agent}{p.config && p.config !== p.agent && <span class="mute sm"> ({p.config})</span>}</td></tr>)}
      </tbody></table>
    </section>
  );
}

function Table({ doc }: { doc: BenchDoc }) {
  const rows = doc.status.players.map((p, i) => ({ ...p, ...doc.players[i]! })).sort((a, b) => (b.rating ?? 0) - (a.rating ?? 0)) as (Bench['status']['players'][number] & BenchDoc['players'][number] & { cpuMs?: number })[];
  const head = [r('player'), r('rating'), doc.fit ? r('within', { level: Math.round(100 * doc.fit.level) }) : '', r('games'), r('won3'), r('drawn'), r('lost'), r('score'), r('sequential'), r('thinkMs'), r('cpuMs'), r('nodes')];
  return (
    <section class="card" data-table="numbers">
      <h2>{r('table')}</h2>
      <div class="scrollx" tabIndex={0} role="region" aria-label={r('table')}>
        <table class="tb numbers">
          <thead><tr>{head.map((h, i) => <th key={i} scope="col" class={i > 0 ? 'r' : ''}>{h}</th>)}</tr></thead>
          <tbody>
            {rows.map((p) => (
              <tr key={p.name}>
                <th scope="row">{p.name}</th>
                <td class="r"><b>{p.rating === undefined ? '–' : Math.round(p.rating)}</b></td>
                <td class="r mute">{p.rating === undefined ? '' : r('range', { low: Math.round(p.low!), high: Math.round(p.high!) })}</td>
                <td class="r">{number(p.games)}</td><td class="r">{number(p.wins)}</td><td class="r">{number(p.draws)}</td><td class="r">{number(p.losses)}</td>
                <td class="r">{p.games > 0 ? `${((100 * (p.wins + p.draws / 2)) / p.games).toFixed(1)} %` : ''}</td>
                <td class="r">{p.sequential ?? ''}</td><td class="r">{three(p.thinkMs)}</td><td class="r">{three(p.cpuMs ?? 0)}</td><td class="r">{p.nodesPerSecond > 0 ? number(p.nodesPerSecond) : '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

// All games won or lost give one bound and no estimate; an end at the limit of the scale is no bound.
function eloOf(p: Pairing): { elo: string; range: string } {
  const most = 1199;
  const signed = (v: number | null): string => (v === null || Math.abs(v) >= most ? '–' : `${v >= 0.5 ? '+' : ''}${Math.round(v)}`);
  const bound = p.losses + p.draws === 0 ? 'overElo' : p.wins + p.draws === 0 ? 'underElo' : null;
  if (bound) return { elo: r(bound, { elo: signed(bound === 'overElo' ? p.low : p.high) }), range: '' };
  return { elo: signed(p.elo), range: r('range', { low: signed(p.low), high: signed(p.high) }) };
}

function Matchups({ doc }: { doc: BenchDoc }) {
  const paired = doc.pairings.some((p) => p.pairs);
  const head = [r('playerA'), r('playerB'), r('won3'), r('drawn'), r('lost'), r('eloDifference'), doc.fit ? r('within', { level: Math.round(100 * doc.fit.level) }) : '', ...(paired ? [r('pairs')] : [])];
  const name = (i: number): string => doc.players[i]!.name;
  return (
    <section class="card" data-table="matchups">
      <h2>{r('matchups')}</h2>
      <div class="scrollx" tabIndex={0} role="region" aria-label={r('matchups')}>
        <table class="tb numbers">
          <thead><tr>{head.map((h, i) => <th key={i} scope="col" class={i > 1 ? 'r' : ''}>{h}</th>)}</tr></thead>
          <tbody>
            {doc.pairings.map((p) => {
              const { elo, range } = eloOf(p);
              return (
                <tr key={`${p.a} ${p.b}`}>
                  <td>{name(p.a)}</td><td>{name(p.b)}</td>
                  <td class="r">{number(p.wins)}</td><td class="r">{number(p.draws)}</td><td class="r">{number(p.losses)}</td>
                  <td class="r"><b>{elo}</b></td><td class="r mute">{range}</td>
                  {paired && <td class="r">{p.pairs?.map(number).join(' · ') ?? '–'}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Convergence({ doc }: { doc: BenchDoc }) {
  const { games, ratings } = doc.convergence;
  if (games.length < 2) return null;
  const curves = doc.players.slice(0, 12).map((p, i) => ({ name: p.name, y: ratings.map((row) => row[i] ?? null), colour: heads[i % heads.length]!, dash: i >= heads.length }));
  return <section class="card" data-chart="convergence"><h2>{r('convergence')}</h2><Chart label={r('convergence')} x={games} curves={curves} format={(v) => String(Math.round(v))} formatX={number} height={260} /></section>;
}

function AllGames({ doc }: { doc: BenchDoc }) {
  const n = number(doc.status.played);
  return (
    <section class="card" data-table="all-games">
      <details>
        <summary><h2>{doc.everyGame ? r('allGames', { n }) : r('someGames', { n, k: number(doc.games.length) })}</h2></summary>
        <div class="scrollx" tabIndex={0} role="region" aria-label={r('games')}>
          <table class="tb numbers">
            <thead><tr><th scope="col" class="r">#</th>{(['first', 'second', 'result', 'end', 'opening', 'moves', 'ms'] as const).map((k) => <th key={k} scope="col" class={k === 'moves' || k === 'ms' ? 'r' : ''}>{r(k)}</th>)}</tr></thead>
            <tbody>{doc.games.map((g) => <tr key={g.number}><td class="r mute">{g.number}</td><td>{g.first}</td><td>{g.second}</td><td>{result(g.score)}</td><td>{word('end', g.reason)}{g.detail ? `: ${g.detail}` : ''}</td><td>{g.opening}</td><td class="r">{g.plies}</td><td class="r">{number(g.ms)}</td></tr>)}</tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

export function BenchReport({ doc }: { doc: BenchDoc }) {
  const bench = { ...doc, mine: false } as unknown as Bench;
  const kept = doc.games.filter((g) => g.boards);
  const source: GameSource = {
    list: (from, limit, player) => {
      const all = kept.filter((g) => !player || g.first === player || g.second === player);
      return Promise.resolve({ items: all.slice(from, from + limit), total: all.length, from });
    },
    game: (n) => Promise.resolve({ ...kept.find((g) => g.number === n)!, game: doc.status.game, moves: '', text: '' } as RecordedGame),
    board: (g, ply) => {
      const boards = (g as RecordedGame & { boards: Board[] }).boards;
      return Promise.resolve(stateOf(doc.status.game, boards[Math.min(ply, boards.length - 1)]!));
    },
  };
  const s = doc.status;
  return (
    <main>
      <div class="row head reporthead">
        <h1>{word('game', s.game)} <span class="mute sm runname">{doc.name}</span></h1>
        <span class={s.playing ? 'chip on' : 'chip'}>{s.playing ? t('rate.live') : word('rate', s.complete ? 'done' : 'stopped')}</span>
        <span class="mute sm">{t('rate.played', { n: played(doc) })}</span>
      </div>
      <div class="wide">
        <div class="col">
          <section class="card first" data-chart="ratings">
            <h2>{word('rate', 'table')}</h2>
            <Ratings bench={bench} />
            {doc.fit && <p class="mute sm gap8">{r('fit', { model: spoken(doc.fit.model), level: Math.round(100 * doc.fit.level), errors: spoken(doc.fit.errors), elo: Math.round(doc.fit.advantage) })}</p>}
          </section>
          <Sprt bench={bench} />
          {doc.words.length > 0 && <section class="card">{doc.words.map((w) => <p key={w} class="sm">{said(w, testWords)}</p>)}</section>}
          {doc.pairings.length > 0 && <section class="card" data-chart="heat"><h2>{word('rate', 'heat')}</h2><Heat bench={bench} /></section>}
          <Convergence doc={doc} />
          {s.notes.length > 0 && <section class="card"><h2>{t('rate.notes')}</h2>{s.notes.map((n) => <p key={n} class="mute sm">{said(n)}</p>)}</section>}
        </div>
        <div class="col side">
          {kept.length > 0 && <Games bench={bench} source={source} />}
          {kept.length > 0 && <p class="mute sm">{r('replays', { n: number(kept.length) })}</p>}
          <Facts doc={doc} />
        </div>
      </div>
      <div class="parts"><Table doc={doc} />{doc.pairings.length > 0 && <Matchups doc={doc} />}<AllGames doc={doc} /></div>
    </main>
  );
}
