// Train: the runs of the server; one of them with its curves, games, networks and options; starting, stopping, resuming.
import '../../app'; // for the bundler: what views share comes in one file with the page
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Engine } from '../../engine/engine';
import { gameOf, games } from '../../games';
import { number, t, told, word, type Key } from '../../ui/i18n';
import { Ask, clock, Lost, NeedsServer, Stop, useFollow } from '../server';
import { Workers } from './workers';
import { Boards } from './boards';
import { Curves, tail } from './charts';
import { optionsOf, refresh, resume, Run, runs, start, stop, type Network, type OptionRow, type RunItem } from './runs';

export interface TrainProps {
  engine: Engine;
  name: string; // of the run in the address; '' = the newest
  play(game: string, agent: string): void;
}

const current = signal<Run | null>(null);
const compared = signal<Run[]>([]);
const asking = signal<'' | 'new' | 'resume'>('');

function select(name: string): void {
  if (current.value?.name === name) return;
  current.value?.close();
  current.value = name ? new Run(name) : null;
}

function compare(name: string, on: boolean): void {
  const others = compared.value.filter((r) => r.name !== name);
  compared.value.find((r) => r.name === name)?.close();
  compared.value = on ? [...others, new Run(name)] : others;
}

const learnable = games.filter((g) => !['freestyle20', 'puyo-solo'].includes(g.name));
const suggested = (game: string): Record<string, string> => (game === 'tictactoe' ? { minutes: '0.5', 'eval-every': '100' } : { minutes: game === 'contrast' ? '2' : '10' });

function Start() {
  const game = useSignal('tictactoe');
  const values = useSignal<Record<string, string>>(suggested('tictactoe'));
  const rows = useSignal<OptionRow[]>([]);
  const said = useSignal('');
  useEffect(() => {
    optionsOf(game.value).then((r) => (rows.value = r)).catch((e: Error) => (said.value = told(e)));
  }, [game.value]);
  const set = (name: string, v: string) => {
    const { [name]: _, ...rest } = values.value;
    values.value = v === '' ? rest : { ...rest, [name]: v };
  };
  const field = (o: OptionRow) => (
    <label class="option" key={o.name} title={o.help}>
      <span>{word('opt', o.name)}</span>
      {o.choices && o.choices.length > 0 ? (
        <select class="select" value={values.value[o.name] ?? ''} onChange={(e) => set(o.name, e.currentTarget.value)}>
          <option value="">{o.default ?? t('opt.none')}</option>
          {o.choices.map((c) => <option key={c} value={c}>{c}</option>)}
        </select>
      ) : (
        <input class="field-text" value={values.value[o.name] ?? ''} placeholder={o.default ?? ''} onInput={(e) => set(o.name, e.currentTarget.value.trim())} />
      )}
    </label>
  );
  const go = async () => {
    const { name } = await start(game.value, values.value);
    asking.value = '';
    location.hash = `#/train/${name}`;
    await refresh();
  };
  const main = ['minutes', 'preset', 'eval-every', 'threads'];
  const groups = new Map<string, OptionRow[]>();
  for (const o of rows.value) if (!main.includes(o.name)) groups.set(o.group ?? '', [...(groups.get(o.group ?? '') ?? []), o]);
  return (
    <Ask title="train.new" go="train.start" said={said} run={go} close={() => (asking.value = '')}>
      <label class="option">
        <span>{t('game.pick')}</span>
        <select class="select" aria-label={t('game.pick')} value={game.value} onChange={(e) => { game.value = e.currentTarget.value; values.value = suggested(game.value); }}>
          {learnable.map((g) => <option key={g.name} value={g.name}>{t(`game.${g.name}` as Key)}</option>)}
        </select>
      </label>
      <label class="option">
        <span>{t('train.minutes')}</span>
        <input class="field-text" inputMode="decimal" value={values.value['minutes'] ?? ''} onInput={(e) => set('minutes', e.currentTarget.value.trim())} />
      </label>
      {rows.value.filter((o) => main.includes(o.name) && o.name !== 'minutes').map(field)}
      <details class="more">
        <summary>{t('train.more')}</summary>
        {[...groups].map(([name, list]) => (
          <fieldset key={name}>
            {name && <legend>{name}</legend>}
            {list.map(field)}
          </fieldset>
        ))}
      </details>
    </Ask>
  );
}

function Resume({ run }: { run: Run }) {
  const s = run.info.value!.state;
  const minutes = useSignal(String(Math.ceil(s.seconds / 60) + (s.game === 'tictactoe' ? 1 : 10)));
  const said = useSignal('');
  const go = async () => {
    await resume(run.name, minutes.value);
    asking.value = '';
  };
  return (
    <Ask title="train.resume" go="train.resume" said={said} run={go} close={() => (asking.value = '')}>
      <label class="option">
        <span>{t('train.minutesAll')}</span>
        <input class="field-text" inputMode="decimal" value={minutes.value} onInput={(e) => (minutes.value = e.currentTarget.value.trim())} />
      </label>
    </Ask>
  );
}

const stateWord = (r: RunItem): string => (r.state.running ? t('train.live') : r.state.ended ? word('train.ended', r.state.ended) : t('train.stopped'));

function Head({ run }: { run: Run }) {
  const info = run.info.value;
  const s = info?.state;
  const said = useSignal('');
  const most = s?.limit_seconds ? ` / ${clock(s.limit_seconds)}` : '';
  return (
    <div class="row head">
      <h1>{s ? word('game', s.game) : ''} <span class="mute sm runname">{run.name}</span></h1>
      {info && <span class={s!.running ? 'chip on' : 'chip'}>{s!.running && '● '}{stateWord(info)}</span>}
      {s && <span class="mute sm">{t('train.step', { n: number(s.step) })} · {clock(s.seconds)}{most}</span>}
      <span class="sp" />
      {info?.mine && s!.running && <Stop key={run.name} stop={() => stop(run.name)} fail={(e) => (said.value = told(e))} />}
      {info && !s!.running && <button type="button" class="ghost" data-act="resume" onClick={() => (asking.value = 'resume')}>{t('train.resume')}</button>}
      <button type="button" class="go" data-act="new-run" onClick={() => (asking.value = 'new')}>{t('train.new')}</button>
      {(said.value || run.failed.value || (info?.message && !s!.running)) && <p class="error fullrow" role="alert">{said.value || run.failed.value || told(info!)}</p>}
    </div>
  );
}

function List() {
  const list = runs.value ?? [];
  const of = list.find((r) => r.name === current.value?.name)?.state.game; // runs of other games have other scales
  return (
    <section class="card">
      <div class="row"><h2>{t('train.runs')}</h2><span class="sp" />{list.filter((r) => r.state.game === of).length > 1 && <span class="mute sm">{t('train.compare')}</span>}</div>
      <ul class="runlist">
        {list.map((r) => {
          const own = r.name === current.value?.name;
          const game = gameOf(r.state.game);
          return (
            <li key={r.name} data-game={game?.accent}>
              <a href={`#/train/${r.name}`} aria-current={own ? 'true' : undefined} class={own ? 'at' : ''}>
                <i class={r.state.running ? 'lamp on' : 'lamp'} aria-hidden="true" />
                <span class="runwhat"><b>{game ? t(`game.${game.name}` as Key) : r.state.game}</b> <span class="mute sm">{tail(r.name)}</span></span>
                <span class="mute sm">{r.state.elo ? Math.round(r.state.elo.elo) : clock(r.state.seconds)}</span>
              </a>
              {r.state.game === of && list.filter((x) => x.state.game === of).length > 1 && <input type="checkbox" disabled={own} aria-label={`${t('train.compare')}: ${r.name}`} checked={compared.value.some((c) => c.name === r.name)} onChange={(e) => compare(r.name, e.currentTarget.checked)} />}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Networks({ run, play }: { run: Run; play: TrainProps['play'] }) {
  const info = run.info.value;
  // Several files may hold the weights of one step: the strongest, the last, a rated one, a checkpoint.
  const rows = new Map<number | string, Network[]>();
  for (const n of [...(info?.networks ?? [])].sort((a, b) => a.age - b.age)) rows.set(n.step ?? n.file, [...(rows.get(n.step ?? n.file) ?? []), n]);
  const list = [...rows.values()].slice(0, 8);
  if (list.length === 0) return null;
  const names = (of: Network[]) => of.flatMap((n) => (/^(best|final)/.test(n.file) ? [word('train.net', /^[a-z]+/.exec(n.file)![0])] : []));
  return (
    <section class="card">
      <h2>{t('train.networks')}</h2>
      <table class="tb nets">
        <tbody>
          {list.map((of) => {
            const n = of.find((x) => x.elo !== undefined) ?? of[0]!;
            return (
              <tr key={n.file}>
                <td>{[n.step !== undefined ? t('train.step', { n: number(n.step) }) : n.file, ...names(of)].join(' · ')}</td>
                <td class="r mute">{n.elo !== undefined ? Math.round(n.elo) : ''}</td>
                <td class="r"><button type="button" class="link" data-agent={n.agent} onClick={() => play(info!.state.game, n.agent)}>{t('train.play')}</button></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Options({ run }: { run: Run }) {
  const all = Object.entries(run.info.value?.options ?? {});
  if (all.length === 0) return null;
  return (
    <section class="card">
      <details>
        <summary><h2>{t('train.options')}</h2></summary>
        <table class="tb"><tbody>{all.map(([k, v]) => <tr key={k}><th scope="row">{k}</th><td class="wraps">{v || '–'}</td></tr>)}</tbody></table>
      </details>
    </section>
  );
}

function Empty() {
  return (
    <main class="blank">
      <div class="need">
        <h1>{t('train.title')}</h1>
        <p class="mute">{t('train.empty')}</p>
        <p><button type="button" class="go" data-act="new-run" onClick={() => (asking.value = 'new')}>{t('train.new')}</button></p>
        <Workers />
      </div>
    </main>
  );
}

export function Train({ engine, name, play }: TrainProps) {
  useFollow(refresh, () => {
    asking.value = '';
    select('');
    for (const r of compared.value) r.close();
    compared.value = [];
  });
  const newest = runs.value?.[0]?.name ?? '';
  useEffect(() => select(name || newest), [name, newest]);
  const run = current.value;
  useEffect(() => { // resumed, here or elsewhere
    if (run?.info.value?.state.running === false && runs.value?.some((r) => r.name === run.name && r.state.running)) void run.again();
  }, [runs.value]);
  const game = run?.info.value?.state.game;
  return (
    <NeedsServer title="train.title">
      {runs.value === null ? <main class="blank" aria-busy="true" /> : !run ? <Empty /> : (
        <main class="wide" data-game={gameOf(game ?? '')?.accent ?? 'plain'}>
          <div class="col">
            <Head run={run} />
            <Lost />
            {run.info.value && <Curves key={run.name} run={run} compared={compared.value.filter((r) => r.name !== run.name)} />}
          </div>
          <div class="col side">
            <List />
            <Boards engine={engine} run={run} />
            <Networks run={run} play={play} />
            <Workers />
            <Options run={run} />
          </div>
        </main>
      )}
      {asking.value === 'new' && <Start />}
      {asking.value === 'resume' && run?.info.value && <Resume run={run} />}
    </NeedsServer>
  );
}
