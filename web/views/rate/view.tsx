// Rate: benches of the server; one of them as a table with intervals, matchups, a test and its games; starting and stopping.
import '../../app'; // for the bundler: what views share comes in one file with the page
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Engine } from '../../engine/engine';
import type { AgentRow } from '../../engine/types';
import { gameOf, games } from '../../games';
import { AgentField } from '../../ui/agent';
import { Icon } from '../../ui/icons';
import { number, t, told, word, type Key } from '../../ui/i18n';
import { Ask, Lost, NeedsServer, Stop, useFollow } from '../server';
import { tail } from '../train/charts';
import { benches, Followed, gameOf as gameNumber, gamesOf, refresh, resume, start, stop } from './benches';
import { Heat, Ratings, Sprt } from './charts';
import { Games, type GameSource } from './games';
import { said } from './notes';

export interface RateProps {
  engine: Engine;
  name: string;
  load(text: string): void; // into Analyse
}

const current = signal<Followed | null>(null);
const asking = signal(false);

const serverGames = (name: string, engine: Engine): GameSource => ({
  list: (from, limit, player) => gamesOf(name, from, limit, player),
  game: (n) => gameNumber(name, n),
  board: (game, ply) => engine.replay(game.game, game.text, ply),
});

function select(name: string): void {
  if (current.value?.name === name) return;
  current.value?.close();
  current.value = name ? new Followed(name) : null;
}

// Names of players: levels by their number, others by what they are; each once.
function listOf(players: string[]): string {
  const used = new Set<string>();
  return players.map((p, i) => {
    const text = p.trim();
    const plain = /^\d+$/.test(text) ? `level-${text}` : text.replace(/[;=,:/ ]+/g, '-').slice(0, 24);
    const name = used.has(plain) ? `${plain}-${i + 1}` : plain;
    used.add(name);
    return `${name}=${text}`;
  }).join(';');
}

function Start({ engine }: { engine: Engine }) {
  const game = useSignal('othello');
  const players = useSignal(['1', '3', '5']);
  const count = useSignal('20');
  const sprt = useSignal(false);
  const elo = useSignal({ elo0: '0', elo1: '30' });
  const agents = useSignal<AgentRow[]>([]);
  const said = useSignal('');
  useEffect(() => {
    engine.agents(game.value).then((a) => (agents.value = a)).catch(() => undefined);
  }, [game.value]);
  const set = (i: number, v: string) => (players.value = players.value.map((p, k) => (k === i ? v : p)));
  const go = async () => {
    const list = (sprt.value ? players.value.slice(0, 2) : players.value).filter((p) => p.trim() !== '');
    const options: Record<string, string> = { game: game.value, players: listOf(list) };
    if (sprt.value) options['sprt'] = `elo0=${elo.value.elo0},elo1=${elo.value.elo1}`;
    else options['games'] = count.value;
    const { name } = await start(options);
    asking.value = false;
    location.hash = `#/rate/${name}`;
    await refresh();
  };
  const shown = sprt.value ? players.value.slice(0, 2) : players.value;
  return (
    <Ask title="rate.new" go="rate.start" said={said} run={go} close={() => (asking.value = false)}>
      <label class="option">
        <span>{t('game.pick')}</span>
        <select class="select" aria-label={t('game.pick')} value={game.value} onChange={(e) => (game.value = e.currentTarget.value)}>
          {games.filter((g) => g.sides.length === 2).map((g) => <option key={g.name} value={g.name}>{t(`game.${g.name}` as Key)}</option>)}
        </select>
      </label>
      <h2>{t('rate.players')}</h2>
      <p class="mute sm">{t('rate.playersHelp')}</p>
      {shown.map((p, i) => (
        <div class="row gap8" key={i}>
          <AgentField value={p} agents={agents.value} label={`${t('rate.player')} ${i + 1}`} set={(v) => set(i, v)} />
          {shown.length > 2 && <button type="button" class="tool" aria-label={t('rate.remove')} onClick={() => (players.value = players.value.filter((_, k) => k !== i))}><Icon name="close" /></button>}
        </div>
      ))}
      {!sprt.value && <button type="button" class="link" onClick={() => (players.value = [...players.value, ''])}>{t('rate.add')}</button>}
      <label class="row setting">
        <span>{t('rate.test')}<small class="mute">{t('rate.testHelp')}</small></span><span class="sp" />
        <input type="checkbox" role="switch" class="sw" aria-label={t('rate.test')} checked={sprt.value} onChange={(e) => (sprt.value = e.currentTarget.checked)} />
      </label>
      {sprt.value ? (
        (['elo0', 'elo1'] as const).map((k) => (
          <label class="option" key={k}><span>{t(`rate.${k}`)}</span><input class="field-text" inputMode="numeric" value={elo.value[k]} onInput={(e) => (elo.value = { ...elo.value, [k]: e.currentTarget.value })} /></label>
        ))
      ) : (
        <label class="option"><span>{t('rate.gamesPer')}</span><input class="field-text" inputMode="numeric" value={count.value} onInput={(e) => (count.value = e.currentTarget.value.trim())} /></label>
      )}
    </Ask>
  );
}

function Head({ of }: { of: Followed }) {
  const b = of.bench.value;
  const s = b?.status;
  const said = useSignal('');
  const fail = (e: Error) => (said.value = told(e));
  const all = s && s.planned > 0 && !b.sprt ? ` / ${number(s.planned)}` : '';
  return (
    <div class="row head">
      <h1>{s ? word('game', s.game) : ''} <span class="mute sm runname">{of.name}</span></h1>
      {s && <span class={s.playing ? 'chip on' : 'chip'}>{s.playing ? `● ${t('rate.live')}` : t(s.complete ? 'rate.done' : 'rate.stopped')}</span>}
      {s && <span class="mute sm">{t('rate.played', { n: `${number(s.played)}${all}` })}</span>}
      <span class="sp" />
      {b?.mine && s!.playing && <Stop key={of.name} stop={() => stop(of.name)} fail={fail} />}
      {b && !s!.playing && !s!.complete && <button type="button" class="ghost" data-act="resume" onClick={() => void resume(of.name).catch(fail)}>{t('train.resume')}</button>}
      <button type="button" class="go" data-act="new-bench" onClick={() => (asking.value = true)}>{t('rate.new')}</button>
      {(said.value || of.failed.value || (b?.message && !s!.playing)) && <p class="error fullrow" role="alert">{said.value || of.failed.value || told(b!)}</p>}
    </div>
  );
}

function List() {
  const list = benches.value ?? [];
  return (
    <section class="card">
      <h2>{t('rate.benches')}</h2>
      <ul class="runlist">
        {list.map((b) => {
          const own = b.name === current.value?.name;
          const game = gameOf(b.status.game);
          return (
            <li key={b.name} data-game={game?.accent}>
              <a href={`#/rate/${b.name}`} aria-current={own ? 'true' : undefined} class={own ? 'at' : ''}>
                <i class={b.status.playing ? 'lamp on' : 'lamp'} aria-hidden="true" />
                <span class="runwhat"><b>{game ? t(`game.${game.name}` as Key) : b.status.game}</b> <span class="mute sm">{tail(b.name)}</span></span>
                <span class="mute sm">{number(b.status.played)}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function Rate({ engine, name, load }: RateProps) {
  useFollow(refresh, () => {
    select('');
    asking.value = false;
  });
  const newest = benches.value?.[0]?.name ?? '';
  useEffect(() => select(name || newest), [name, newest]);
  const of = current.value;
  const b = of?.bench.value;
  useEffect(() => { // resumed, here or elsewhere
    if (b?.status.playing === false && benches.value?.some((x) => x.name === b.name && x.status.playing)) void of!.open();
  }, [benches.value]);
  return (
    <NeedsServer title="rate.title">
      {benches.value === null ? <main class="blank" aria-busy="true" /> : !of ? (
        <main class="blank">
          <div class="need">
            <h1>{t('rate.title')}</h1>
            <p class="mute">{t('rate.empty')}</p>
            <p><button type="button" class="go" data-act="new-bench" onClick={() => (asking.value = true)}>{t('rate.new')}</button></p>
          </div>
        </main>
      ) : (
        <main class="wide" data-game={gameOf(b?.status.game ?? '')?.accent ?? 'plain'}>
          <div class="col">
            <Head of={of} />
            <Lost />
            {b && (
              <>
                <section class="card first"><h2>{t('rate.table')}</h2><Ratings bench={b} /></section>
                <Sprt bench={b} />
                <section class="card"><h2>{t('rate.heat')}</h2><Heat bench={b} /></section>
                {b.status.notes.length > 0 && <section class="card"><h2>{t('rate.notes')}</h2>{b.status.notes.map((n) => <p key={n} class="mute sm">{said(n)}</p>)}</section>}
              </>
            )}
          </div>
          <div class="col side">
            <List />
            {b && <Games bench={b} source={serverGames(b.name, engine)} load={load} />}
          </div>
        </main>
      )}
      {asking.value && <Start engine={engine} />}
    </NeedsServer>
  );
}
