// The page: the top bar, and the view that the address names.
import { effect, signal } from '@preact/signals';
import { render, type ComponentType } from 'preact';
import { connect, link } from './engine/api';
import { PageEngine } from './engine/remote';
import { gameOf } from './games';
import { Icon, type IconName } from './ui/icons';
import { t, type Key } from './ui/i18n';
import { change, isDark, settings } from './ui/settings';
import { Dialogs, open } from './views/play/dialogs';
import { lastGame } from './views/play/record';
import { Table } from './views/play/table';
import { Play } from './views/play/view';
import { PAGES, type Page } from './views/puyo/pages';
import type { PuyoProps } from './views/puyo/view';
import type { RateProps } from './views/rate/view';
import type { TrainProps } from './views/train/view';

const engine = new PageEngine();
const table = new Table(engine);
const away = signal<{ view: 'train' | 'rate'; name: string } | null>(null); // a view without the board
const late = signal<{ Train?: ComponentType<TrainProps>; Rate?: ComponentType<RateProps>; Puyo?: ComponentType<PuyoProps> }>({}); // views that are loaded when first wanted
const missing = signal(false); // such a view could not be loaded
const analysing = signal(false);
const puyo = signal<Page | null>(null); // the page of the Puyo tab that is shown
let played: [string, string] | null = null; // who sat there before the analysis

// #/othello, #/othello?m=…, #/analyse/othello (?m=…, too), #/puyo/advisor, #/train, #/train/NAME, #/rate/NAME
async function route(): Promise<void> {
  puyo.value = PAGES.find((p) => p === /^#\/puyo\/([a-z]+)/.exec(location.hash)?.[1]) ?? null;
  const other = /^#\/(train|rate)(?:\/([\w.-]+))?$/.exec(location.hash);
  if (other) {
    away.value = { view: other[1] as 'train' | 'rate', name: other[2] ?? '' };
    if (other[1] === 'train') late.value = { ...late.value, Train: (await import('./views/train/view')).Train };
    else late.value = { ...late.value, Rate: (await import('./views/rate/view')).Rate };
    return;
  }
  away.value = null;
  if (puyo.value) {
    late.value = { ...late.value, Puyo: (await import('./views/puyo/view')).Puyo };
    if (!table.state.value) await table.start(lastGame() ?? 'othello', {}); // for the dialogs, and for going back
    return;
  }
  const m = /^#\/(analyse\/)?([a-z0-9-]+)/.exec(location.hash);
  const game = m?.[2] && gameOf(m[2]) ? m[2] : (lastGame() ?? 'othello');
  const linked = location.hash.includes('?');
  const analyse = !!m?.[1];
  if (linked || !table.state.value || table.def.value.name !== game) await table.start(game, linked ? { hash: location.hash } : {});
  if (linked) history.replaceState(null, '', `#/${m?.[1] ?? ''}${game}`);
  if (analyse !== analysing.value) {
    analysing.value = analyse;
    if (analyse) {
      played = table.seats.value;
      table.setMode('people');
      table.setEngine(true);
    } else {
      if (played) table.setSeats(played);
      table.setEngine(false);
    }
  }
}

// Play against an agent, or look at a game, from another view.
async function play(game: string, agent: string): Promise<void> {
  await table.start(game, { fresh: true, seats: ['human', agent] });
  location.hash = `#/${game}`;
}
async function load(text: string): Promise<void> {
  await table.load(text);
  location.hash = `#/analyse/${table.def.value.name}`;
}

// A position of the chain editor, without a clock.
async function playFrom(address: string): Promise<void> {
  await table.load(address);
  location.hash = '#/puyo-solo';
}

function Top() {
  const game = table.def.value;
  const current = away.value?.view ?? (puyo.value ? 'puyo' : analysing.value ? 'analyse' : game.family === 'puyo' ? 'puyo' : 'play');
  const board = game.family === 'puyo' ? 'othello' : game.name;
  const go = (name: string, icon: IconName, key: Key, href: string) => (
    <a href={href} aria-current={current === name ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{t(key)}</span>
    </a>
  );
  return (
    <header class="top">
      <a class="brand" href={`#/${board}`}>
        <i />
        keiko
      </a>
      <nav class="nav" aria-label={t('nav.label')}>
        {go('play', 'play', 'nav.play', `#/${board}`)}
        {go('analyse', 'analyse', 'nav.analyse', `#/analyse/${board}`)}
        {go('puyo', 'puyo', 'nav.puyo', '#/puyo/versus')}
        {go('train', 'train', 'nav.train', '#/train')}
        {go('rate', 'rate', 'nav.rate', '#/rate')}
      </nav>
      <span class="sp" />
      <button type="button" class="tool" id="lang" lang={settings.value.lang === 'ja' ? 'en' : 'ja'} onClick={() => change({ lang: settings.value.lang === 'ja' ? 'en' : 'ja' })}>
        {t('top.language')}
      </button>
      <button type="button" class="tool" id="theme" aria-label={t('top.theme')} onClick={() => change({ theme: isDark() ? 'light' : 'dark' })}>
        <Icon name="theme" />
      </button>
      <button type="button" class="tool" id="settings" aria-label={t('top.settings')} onClick={() => (open.value = 'settings')}>
        <Icon name="settings" />
      </button>
    </header>
  );
}

const Coming = () => (missing.value ? <main class="blank"><p class="error" role="alert">{t('say.offline')}</p></main> : <main class="blank" aria-busy="true" />);

function Away() {
  const { view, name } = away.value!;
  const { Train, Rate } = late.value;
  if (view === 'train' && Train) return <Train engine={engine} name={name} play={(game, agent) => void play(game, agent)} />;
  if (view === 'rate' && Rate) return <Rate engine={engine} name={name} load={(text) => void load(text)} />;
  return <Coming />;
}

function LatePuyo(p: PuyoProps) {
  const { Puyo } = late.value;
  return Puyo ? <Puyo {...p} /> : <Coming />;
}

function App() {
  return (
    <>
      <Top />
      {away.value ? <Away /> : puyo.value ? (
        <LatePuyo page={puyo.value} play={(address) => void playFrom(address)} />
      ) : table.failed.value ? (
        <main class="blank"><p class="error" role="alert">{table.failed.value}</p></main>
      ) : table.state.value ? (
        <Play table={table} />
      ) : (
        <main class="blank" aria-busy="true"><p class="mute">{t('say.wait')}</p></main>
      )}
      {table.state.value && <Dialogs table={table} />}
    </>
  );
}

effect(() => {
  const def = table.def.value;
  document.documentElement.dataset.game = away.value ? 'plain' : puyo.value ? 'puyo' : def.accent;
  document.title = `keiko · ${away.value ? t(`nav.${away.value.view}`) : puyo.value ? t(`pv.${puyo.value}` as Key) : t(`game.${def.name}` as Key)}`;
});

const go = () => void route().catch(() => (missing.value = true));
addEventListener('hashchange', () => {
  open.value = ''; // it belongs to what was shown before
  go();
});
const root = document.getElementById('app')!;
root.textContent = '';
render(<App />, root);
go();
void connect();
effect(() => {
  if (link.value === 'lost' && table.thinking.value && !/^\d+$/.test(table.turnOf.value)) table.say(t('server.waiting')); // levels go on in the page
});

if ('serviceWorker' in navigator && (location.protocol === 'https:' || location.hostname === 'localhost' || location.hostname === '127.0.0.1'))
  void navigator.serviceWorker.register('sw.js').catch(() => undefined);
