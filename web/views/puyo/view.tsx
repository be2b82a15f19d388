// The Puyo tab: real-time games, GTR practice, the advisor and its simulations, the chain editor, replays. All of it runs on
// the engine in the page.
import '../../app'; // for the bundler: what views share comes in one file with the page
import { useEffect, useRef } from 'preact/hooks';
import { PuyoEngine } from '../../engine/puyo';
import { t, type Key } from '../../ui/i18n';
import { Advisor } from './advisor';
import { ChainEditor } from './editor';
import { Game } from './game';
import { PAGES, type Page } from './pages';
import { Practice } from './practice';
import { Replay } from './replay';
import { Simulate } from './simulate';

let engine: PuyoEngine | null = null;

export interface PuyoProps {
  page: Page;
  play(address: string): void; // without a clock, in the Play view
}

export function Puyo({ page, play }: PuyoProps) {
  engine ??= new PuyoEngine();
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }), [page]);
  return (
    <main class="puyoview">
      <nav ref={tabs} class="pv-tabs" aria-label={t('pv.label')}>
        {PAGES.filter((p) => p !== 'replay' || page === 'replay').map((p) => (
          <a key={p} href={p === 'replay' ? location.hash : `#/puyo/${p}`} aria-current={p === page ? 'page' : undefined}>{t(`pv.${p}` as Key)}</a>
        ))}
      </nav>
      {page === 'versus' || page === 'solo' ? <Game key={page} engine={engine} kind={page} />
        : page === 'practice' ? <Practice engine={engine} />
        : page === 'advisor' ? <Advisor engine={engine} />
        : page === 'simulate' ? <Simulate engine={engine} />
        : page === 'editor' ? <ChainEditor engine={engine} play={play} />
        : <Replay key={location.hash} engine={engine} />}
    </main>
  );
}
