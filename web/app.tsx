// The page: the top bar, and the view that the address names.
import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { LocalEngine } from './engine/engine';
import { gameOf } from './games';
import { Icon, type IconName } from './ui/icons';
import { t, type Key } from './ui/i18n';
import { change, isDark, settings } from './ui/settings';
import { Dialogs, open } from './views/play/dialogs';
import { lastGame } from './views/play/record';
import { Table } from './views/play/table';
import { Play } from './views/play/view';
import { PAGES, Puyo, type Page } from './views/puyo/view';

const table = new Table(new LocalEngine());
const analysing = signal(false);
const puyo = signal<Page | null>(null); // the page of the Puyo tab that is shown
let played: [string, string] | null = null; // who sat there before the analysis

// #/othello, #/othello?m=…, #/analyse/othello, #/puyo/advisor
async function route(): Promise<void> {
  puyo.value = PAGES.find((p) => p === /^#\/puyo\/([a-z]+)/.exec(location.hash)?.[1]) ?? null;
  if (puyo.value) return;
  const m = /^#\/(analyse\/)?([a-z0-9-]+)/.exec(location.hash);
  const game = m?.[2] && gameOf(m[2]) ? m[2] : (lastGame() ?? 'othello');
  const linked = location.hash.includes('?');
  const analyse = !!m?.[1];
  if (linked || !table.state.value || table.def.value.name !== game) await table.start(game, linked ? { hash: location.hash } : {});
  if (linked) history.replaceState(null, '', `#/${game}`);
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

// A position of the chain editor, without a clock.
async function playFrom(address: string): Promise<void> {
  await table.load(address);
  location.hash = '#/puyo-solo';
}

function Top() {
  const game = table.def.value;
  const current = puyo.value ? 'puyo' : analysing.value ? 'analyse' : game.family === 'puyo' ? 'puyo' : 'play';
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

function App() {
  return (
    <>
      <Top />
      {puyo.value ? (
        <Puyo page={puyo.value} play={(address) => void playFrom(address)} />
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
  document.documentElement.dataset.game = puyo.value ? 'puyo' : def.accent;
  document.title = `keiko · ${puyo.value ? t(`pv.${puyo.value}` as Key) : t(`game.${def.name}` as Key)}`;
});

addEventListener('hashchange', () => void route());
const root = document.getElementById('app')!;
root.textContent = '';
render(<App />, root);
void route();

if ('serviceWorker' in navigator && (location.protocol === 'https:' || location.hostname === 'localhost' || location.hostname === '127.0.0.1'))
  void navigator.serviceWorker.register('sw.js').catch(() => undefined);
