// Games of self-play as they come from the run, slowed so that people can follow. A board shows a game to its end, then the
// newest one.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Engine } from '../../engine/engine';
import type { State } from '../../engine/types';
import { Mini } from '../../games/mini';
import { t, number } from '../../ui/i18n';
import type { Row, Run } from './runs';

const STEP = 450;
const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

function Live({ engine, run, which }: { engine: Engine; run: Run; which: number }) {
  const state = useSignal<State | null>(null);
  const shown = useSignal<Row | null>(null);
  const on = useRef(true);
  useEffect(() => {
    on.current = true;
    void (async () => {
      await wait(which * 130);
      while (on.current) {
        const games = run.rows.value.filter((r) => r.kind === 'game');
        const row = games[Math.max(0, games.length - 1 - which)];
        const game = run.info.value?.state.game;
        if (!row || !game || row === shown.value) {
          await wait(500);
          continue;
        }
        shown.value = row;
        const moves = String(row['moves']);
        const plies = moves.split(';').length;
        for (let ply = 0; ply <= plies && on.current; ply++) {
          try {
            state.value = await engine.replay(game, moves, ply);
          } catch {
            break;
          }
          await wait(plies > 30 ? STEP / 2 : STEP);
        }
        await wait(1500);
      }
    })();
    return () => {
      on.current = false;
    };
  }, [run]);
  const score = shown.value?.['score'];
  const over = state.value && state.value.session.result.end !== 'none';
  return (
    <figure>
      <Mini state={state.value} label={t('train.board', { n: which + 1 })} />
      <figcaption class="mute sm">{shown.value ? `${t('train.step', { n: number(shown.value.step) })}${over ? ` · ${score === '1' ? '1–0' : score === '0' ? '0–1' : '½–½'}` : ''}` : '\u00a0'}</figcaption>
    </figure>
  );
}

export function Boards({ engine, run }: { engine: Engine; run: Run }) {
  if (!run.rows.value.some((r) => r.kind === 'game')) return null;
  return (
    <section class="card">
      <h2>{t('train.boards')}</h2>
      <div class="boards">{[0, 1, 2, 3].map((i) => <Live key={`${run.name}${i}`} engine={engine} run={run} which={i} />)}</div>
    </section>
  );
}
