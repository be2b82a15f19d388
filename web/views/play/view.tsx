// Play and Analyse: one view. The board takes all the space it can get; the panel stands beside it, on a phone below in tabs.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ContrastBoard, Steps } from '../../games/contrast/board';
import { OthelloBoard } from '../../games/othello/board';
import { PuyoBoard } from '../../games/puyo/board';
import { Fouls, StonesBoard, SwapSteps } from '../../games/stones/board';
import { TicTacToeBoard } from '../../games/tictactoe/board';
import type { BoardProps } from '../../games/shared';
import { t } from '../../ui/i18n';
import { Pieces } from '../../ui/pieces';
import { Actions, Ending, EvalBar, EvalGraph, Lines, Moves, Opponent, Who } from './panel';
import { open } from './dialogs';
import type { Table } from './table';

const boards = { othello: OthelloBoard, stones: StonesBoard, contrast: ContrastBoard, puyo: PuyoBoard, tictactoe: TicTacToeBoard } as const;
const tabs = ['moves', 'lines', 'graph', 'game'] as const;

function keys(table: Table, e: KeyboardEvent): void {
  const on = e.target as Element;
  if (e.ctrlKey || e.metaKey || e.altKey || on.closest('input:not([type=checkbox]):not([type=range]),textarea,select,dialog')) return;
  const run: Record<string, () => void> = {
    u: () => void (table.canUndo.value && table.undo()),
    r: () => void (table.canRedo.value && table.redo()),
    h: () => void table.askHint(),
    f: () => table.setFlip(),
    e: () => table.def.value.unit !== 'none' && table.setEngine(!table.engineOn.value),
    ',': () => void table.back(),
    '.': () => void table.forward(),
    '?': () => void (open.value = 'keys'),
  };
  const line = table.line.value;
  const walk: Record<string, () => void> = {
    arrowleft: () => void table.back(),
    arrowright: () => void table.forward(),
    home: () => void (line[0] && table.goto(line[0].id)),
    end: () => void (line.at(-1) && table.goto(line.at(-1)!.id)),
  };
  const free = table.def.value.family !== 'puyo' && !on.closest('input'); // a slider and Puyo have their own use for arrows
  const go = run[e.key.toLowerCase()] ?? (free ? walk[e.key.toLowerCase()] : undefined);
  if (!go) return;
  e.preventDefault();
  go();
}

// A click on the board takes no focus, so that the arrow keys walk through the game afterwards.
function unfocused(e: MouseEvent): void {
  const cells = (e.target as Element).closest('.cells');
  if (!cells || cells.contains(document.activeElement)) return;
  e.preventDefault();
  (document.activeElement as HTMLElement | null)?.blur();
}

// For those who do not see the board: each move, and how the game ended.
function Said({ table }: BoardProps) {
  const last = table.path.value.at(-1);
  const end = table.ending.value;
  return <span class="hidden" aria-live="polite">{end ? `${end.title} ${end.why}` : last?.move ? `${table.who(last.seat!)}: ${last.move}` : ''}</span>;
}

export function Play({ table }: BoardProps) {
  const tab = useSignal<(typeof tabs)[number]>('moves');
  useEffect(() => {
    const hear = (e: KeyboardEvent) => keys(table, e);
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [table]);
  const def = table.def.value;
  const Board = boards[def.family];
  const puyo = def.family === 'puyo';
  return (
    <main class={puyo ? 'stage puyostage' : 'stage'} data-tabs={tab.value} data-family={def.family}>
      <section class="board" onMouseDown={unfocused}>
        {def.unit !== 'none' && <EvalBar table={table} />}
        <div class="boardbox">
          <Board table={table} key={def.family} />
          <Ending table={table} />
          <Said table={table} />
          <p class={table.message.value ? 'toast' : 'toast none'} role="status">{table.message.value}</p>
        </div>
      </section>
      <aside class="panel">
        <Who table={table} />
        {def.family === 'contrast' && <Steps table={table} />}
        {def.family === 'stones' && <SwapSteps table={table} />}
        <Opponent table={table} />
        {def.name === 'renju' && <Fouls table={table} />}
        <div class="tabs" role="tablist" aria-label={t('tab.label')}>
          {tabs.filter((x) => x !== 'graph' || def.unit !== 'none').map((x) => (
            <button key={x} type="button" role="tab" aria-selected={tab.value === x} onClick={() => (tab.value = x)}>{t(`tab.${x}`)}</button>
          ))}
        </div>
        {def.unit !== 'none' && <EvalGraph table={table} />}
        <Moves table={table} />
        <Lines table={table} />
        {puyo && <section class="keysline mute sm" data-tab="game"><span class="d"><Pieces text={t('puyo.keys')} /></span><span class="m">{t('puyo.touch')}</span></section>}
        <Actions table={table} />
      </aside>
    </main>
  );
}
