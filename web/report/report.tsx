// keiko report: a run in one file, with the page's own charts, tables and boards. The document lies in the file; nothing is
// fetched, so it opens from a bare file.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { gameOf } from '../games';
import { Icon } from '../ui/icons';
import { t, word } from '../ui/i18n';
import { change, isDark, settings } from '../ui/settings';
import { BenchReport, type BenchDoc } from './bench';
import { r } from './texts';
import { TrainingReport, type TrainingDoc } from './training';

const doc = JSON.parse(document.getElementById('data')!.textContent!) as TrainingDoc | BenchDoc;
const game = doc.kind === 'training' ? doc.state.game : doc.status.game;

function Report() {
  return (
    <>
      <header class="top">
        <span class="brand"><i />keiko</span>
        <span class="mute sm made">{r('made', { at: doc.made.replace('T', ' ').replace('Z', ' UTC') })}</span>
        <span class="sp" />
        <button type="button" class="tool" id="lang" lang={settings.value.lang === 'ja' ? 'en' : 'ja'} onClick={() => change({ lang: settings.value.lang === 'ja' ? 'en' : 'ja' })}>{t('top.language')}</button>
        <button type="button" class="tool" id="theme" aria-label={t('top.theme')} onClick={() => change({ theme: isDark() ? 'light' : 'dark' })}><Icon name="theme" /></button>
      </header>
      {doc.kind === 'training' ? <TrainingReport doc={doc} /> : <BenchReport doc={doc} />}
    </>
  );
}

effect(() => {
  document.title = `keiko · ${word('game', game)} · ${r(doc.kind)}`;
});
document.documentElement.dataset.game = gameOf(game)?.accent ?? 'plain';
render(<Report />, document.getElementById('app')!);
