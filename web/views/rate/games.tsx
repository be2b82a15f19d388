// The games of a bench: a list to choose from, and a board to step through one.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { State } from '../../engine/types';
import { Mini } from '../../games/mini';
import { Icon } from '../../ui/icons';
import { number, t, told, word } from '../../ui/i18n';
import type { Page } from '../train/runs';
import type { Bench, BenchGame, RecordedGame } from './benches';

const PAGE = 20;
const result = (score: number): string => (score === 1 ? '1–0' : score === 0 ? '0–1' : '½–½');

// Where games come from: the server, or a report.
export interface GameSource {
  list(from: number, limit: number, player: string): Promise<Page<BenchGame>>;
  game(number: number): Promise<RecordedGame>;
  board(game: RecordedGame, ply: number): Promise<State>;
}

export function Replay({ source, game, load }: { source: Pick<GameSource, 'board'>; game: RecordedGame; load?: ((text: string) => void) | undefined }) {
  const ply = useSignal(game.plies);
  const state = useSignal<State | null>(null);
  const playing = useSignal(false);
  useEffect(() => {
    ply.value = game.plies;
  }, [game.number]);
  useEffect(() => {
    let on = true;
    source.board(game, Math.min(ply.value, game.plies)).then((s) => on && (state.value = s)).catch(() => undefined);
    return () => {
      on = false;
    };
  }, [game.number, ply.value]);
  useEffect(() => {
    if (!playing.value) return;
    const tick = setInterval(() => (ply.value < game.plies ? ply.value++ : (playing.value = false)), 500);
    return () => clearInterval(tick);
  }, [playing.value, game.number]);
  const move = (to: number) => (ply.value = Math.max(0, Math.min(game.plies, to)));
  return (
    <div class="replay">
      <p class="row wrap"><b>{game.first}</b> <span class="mute">–</span> <b>{game.second}</b> <span class="chip">{result(game.score)}</span> <span class="mute sm">{game.reason === 'discs' ? '' : word('end', game.reason)}</span></p>
      <Mini state={state.value} label={t('rate.board', { n: game.number })} />
      <div class="row">
        <button type="button" class="tool" aria-label={t('keys.walk')} onClick={() => move(ply.value - 1)}><Icon name="left" /></button>
        <button type="button" class="tool" aria-label={t(playing.value ? 'act.pause' : 'rate.playback')} onClick={() => { if (ply.value >= game.plies) ply.value = 0; playing.value = !playing.value; }}><Icon name={playing.value ? 'pause' : 'play'} /></button>
        <button type="button" class="tool" aria-label={t('act.redo')} onClick={() => move(ply.value + 1)}><Icon name="right" /></button>
        <input type="range" min="0" max={game.plies} value={ply.value} aria-label={t('rate.ply')} onInput={(e) => move(Number(e.currentTarget.value))} />
        <span class="mute sm nowrap">{ply.value} / {game.plies}</span>
      </div>
      {load && <button type="button" class="ghost small" onClick={() => load(game.text)}><Icon name="analyse" /> {t('rate.analyse')}</button>}
    </div>
  );
}

export function Games({ bench, source, load }: { bench: Bench; source: GameSource; load?: (text: string) => void }) {
  const list = useSignal<BenchGame[]>([]);
  const total = useSignal(0);
  const from = useSignal(0);
  const player = useSignal('');
  const open = useSignal<RecordedGame | null>(null);
  const said = useSignal('');
  useEffect(() => {
    if (bench.status.played === 0) return; // there is nothing to ask for yet
    let on = true;
    source.list(from.value, PAGE, player.value)
      .then((p) => {
        if (!on) return;
        list.value = p.items;
        total.value = p.total;
      })
      .catch(() => undefined);
    return () => {
      on = false;
    };
  }, [bench.name, from.value, player.value, bench.status.playing ? Math.floor(bench.status.played / 10) : bench.status.played]);
  useEffect(() => {
    open.value = null;
    from.value = 0;
    player.value = '';
  }, [bench.name]);
  const show = (n: number) => void source.game(n).then((g) => (open.value = g)).catch((e: Error) => (said.value = told(e)));
  return (
    <section class="card" data-table="games">
      <div class="row">
        <h2>{t('rate.games')}</h2>
        <span class="mute sm">{number(total.value)}</span>
        <span class="sp" />
        <select class="select sm" aria-label={t('rate.player')} value={player.value} onChange={(e) => { from.value = 0; player.value = e.currentTarget.value; }}>
          <option value="">{t('rate.all')}</option>
          {bench.status.players.map((p) => <option key={p.name} value={p.name}>{p.name}</option>)}
        </select>
      </div>
      {open.value && <Replay source={source} game={open.value} load={load} />}
      {said.value && <p class="error" role="alert">{said.value}</p>}
      <ul class="gamelist">
        {list.value.map((g) => (
          <li key={g.number}>
            <button type="button" class={open.value?.number === g.number ? 'at' : ''} onClick={() => show(g.number)}>
              <span class="mute sm">{g.number}</span>
              <span class="pair">{g.first} <span class="mute">–</span> {g.second}</span>
              <b>{result(g.score)}</b>
              <span class="mute sm r">{g.plies}</span>
            </button>
          </li>
        ))}
      </ul>
      {total.value > PAGE && (
        <div class="row">
          <button type="button" class="tool" aria-label={t('rate.newer')} disabled={from.value === 0} onClick={() => (from.value = Math.max(0, from.value - PAGE))}><Icon name="left" /></button>
          <span class="mute sm">{from.value + 1}–{Math.min(total.value, from.value + PAGE)}</span>
          <button type="button" class="tool" aria-label={t('rate.older')} disabled={from.value + PAGE >= total.value} onClick={() => (from.value += PAGE)}><Icon name="right" /></button>
        </div>
      )}
    </section>
  );
}
