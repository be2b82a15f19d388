// The sections of the panel beside the board: who plays, evaluation, moves, lines, actions.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CellsView, SessionNode } from '../../engine/types';
import { games } from '../../games';
import { Hand, Piece } from '../../games/contrast/board';
import { percent } from '../../games/shared';
import { Graph } from '../../ui/graph';
import { Icon, type IconName } from '../../ui/icons';
import { number, signed, t, word, type Key } from '../../ui/i18n';
import { settings } from '../../ui/settings';
import { AgentField } from '../../ui/agent';
import { clockText, controls } from './clocks';
import { movesOf, proof, type Mode } from './known';
import type { Table } from './table';
import { open } from './dialogs';
import { editable } from './editor';

export interface PanelProps {
  table: Table;
}

// --- who

export function SeatMark({ table, seat }: PanelProps & { seat: number }) {
  const family = table.def.value.family;
  if (family === 'contrast')
    return (
      <svg width="24" height="24" viewBox="-32 -32 64 64" aria-hidden="true">
        <Piece seat={seat} up={seat === 0} />
      </svg>
    );
  if (family === 'tictactoe')
    return (
      <svg width="18" height="18" viewBox="-80 -80 160 160" aria-hidden="true">
        {seat === 0 ? <path d="M-52-52L52 52M52-52L-52 52" class="mark x" /> : <circle r="58" class="mark o" />}
      </svg>
    );
  return <i class={seat === 0 ? 'dot' : 'dot w'} />;
}

function SeatClock({ table, seat }: PanelProps & { seat: number }) {
  const left = table.clocks.left.value[seat]!;
  const runs = table.clocks.running.value === seat;
  return <span class={`clock${runs ? ' runs' : ''}${left < 20 ? ' low' : ''}`} role="timer" aria-label={t('clock.of', { side: table.side(seat) })}>{clockText(left)}</span>;
}

function SeatRow({ table, seat, right }: PanelProps & { seat: number; right: boolean }) {
  const view = table.state.value!.view as CellsView;
  const turn = !table.over.value && table.session.value!.seat === seat;
  const busy = turn && table.thinking.value;
  const parts = [
    <SeatMark key="m" table={table} seat={seat} />,
    <span key="n" class="name" title={table.seats.value[seat]}>{table.who(seat)}</span>,
    view.discs ? <b key="d" class="big">{view.discs[seat]}</b> : null,
    table.clocks.control.value ? <SeatClock key="c" table={table} seat={seat} /> : null,
    turn ? <span key="t" class="chip on">{t(busy ? 'who.thinking' : 'who.toMove')}</span> : null,
  ];
  return <span class="row seat">{right ? parts.reverse() : parts}</span>;
}

export function GamePicker({ table }: PanelProps) {
  return (
    <span class="picker">
      <select
        aria-label={t('game.pick')}
        value={table.def.value.name}
        onChange={(e) => void (location.hash = `#/${e.currentTarget.value}`)}
      >
        {games.filter((g) => g.shown || g.name === table.def.value.name).map((g) => (
          <option key={g.name} value={g.name}>{t(`game.${g.name}` as Key)}</option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  );
}

export function Who({ table }: PanelProps) {
  const def = table.def.value;
  return (
    <section class="who">
      <div class="row">
        <GamePicker table={table} />
        <button type="button" class="tool small" aria-label={t('who.rules')} title={t('who.rules')} onClick={() => open.value = 'rules'}>
          <Icon name="book" />
        </button>
        <button type="button" class="tool small" data-act="stored" aria-label={t('stored.title')} title={t('stored.title')} onClick={() => open.value = 'stored'}>
          <Icon name="stored" />
        </button>
        {editable(table) && (
          <button type="button" class="tool small" data-act="edit" aria-label={t('edit.title')} title={t('edit.title')} onClick={() => open.value = 'edit'}>
            <Icon name="edit" />
          </button>
        )}
        <span class="sp" />
        {def.unit !== 'none' && (
          <label class="row engine">
            <span class="mute sm">{t('who.engine')}</span>
            <Icon name="analyse" />
            <input type="checkbox" role="switch" class="sw" aria-label={t('who.engineOn')} checked={table.engineOn.value} onChange={(e) => table.setEngine(e.currentTarget.checked)} />
          </label>
        )}
      </div>
      {def.family === 'contrast' ? (
        [1, 0].map((seat) => (
          <div class="row seatline" key={seat}>
            <SeatRow table={table} seat={seat} right={false} />
            <span class="sp" />
            <Hand table={table} seat={seat} />
          </div>
        ))
      ) : def.family === 'puyo' ? (
        <p class="mute sm puyohelp">{t('puyo.untimed')}</p>
      ) : (
        <div class="row seatline">
          <SeatRow table={table} seat={0} right={false} />
          <span class="sp" />
          <SeatRow table={table} seat={1} right={true} />
        </div>
      )}
    </section>
  );
}

// --- players and level

const modes: Mode[] = ['first', 'second', 'people', 'watch'];

function ClockPicker({ table }: PanelProps) {
  const c = table.clocks.control.value;
  const name = (main: number, bonus: number) => `${main / 60} ${t('clock.minutes')}${bonus ? ` + ${bonus} ${t('clock.seconds')}` : ''}`;
  return (
    <select
      class="select clockpick"
      aria-label={t('clock.label')}
      value={c ? `${c.main}+${c.bonus}` : ''}
      onChange={(e) => {
        const [main, bonus] = e.currentTarget.value.split('+').map(Number);
        table.setClock(main ? { main, bonus: bonus ?? 0, left: [main, main] } : null);
      }}
    >
      <option value="">{t('clock.none')}</option>
      {controls.map(([m, b]) => <option key={`${m}+${b}`} value={`${m}+${b}`}>{name(m, b)}</option>)}
    </select>
  );
}

export function Opponent({ table }: PanelProps) {
  const typing = useSignal(false);
  if (table.def.value.sides.length === 1) return null;
  const mode = table.mode.value;
  const level = table.level.value;
  const row = table.levels.value.find((l) => l.level === level);
  const rated = row?.elo !== undefined;
  const agent = table.seats.value.find((s) => s !== 'human' && !/^\d+$/.test(s));
  const free = mode !== 'people' && (typing.value || agent !== undefined);
  const slider = (seat: number) => {
    const own = Number(table.seats.value[seat]) || level;
    return (
      <>
        <input key={seat} type="range" min="1" max="10" step="1" value={own} aria-label={t(seat === 0 ? 'level.first' : 'level.second')} onInput={(e) => table.setLevel(Number(e.currentTarget.value), seat)} />
        <b class="big lv">{own}</b>
      </>
    );
  };
  const field = (seat: number, label: Key) => (
    <AgentField key={seat} value={table.seats.value[seat]!} agents={table.agents.value} label={t(label)} done={(v) => table.setAgent(v, seat)} />
  );
  const rest = (
    <>
      <ClockPicker table={table} />
      {table.def.value.family === 'stones' && (
        <select class="select clockpick" aria-label={t('swap.label')} value={table.swap.value ? 'swap2' : ''} onChange={(e) => void table.newGame(e.currentTarget.value !== '')}>
          <option value="">{t('swap.free')}</option>
          <option value="swap2">swap2</option>
        </select>
      )}
      <span class="sp" />
      <button type="button" class="ghost small" data-act="resign" disabled={!table.canResign.value} onClick={() => void table.resign()}><Icon name="flag" /> {t('act.resign')}</button>
    </>
  );
  return (
    <section data-tab="game" class="opponent">
      <div class="row">
        <select class="select" aria-label={t('seats.label')} value={mode} onChange={(e) => table.setMode(e.currentTarget.value as Mode)}>
          {modes.map((m) => (
            <option key={m} value={m}>{t(`seats.${m}` as Key)}</option>
          ))}
        </select>
        {mode === 'people' ? (
          rest
        ) : mode === 'watch' ? (
          free ? <>{field(0, 'agent.first')}{field(1, 'agent.second')}</> : [0, 1].map(slider)
        ) : free ? (
          field(mode === 'first' ? 1 : 0, 'agent.label')
        ) : (
          <>
            <input type="range" min="1" max="10" step="1" value={level} aria-label={t('level.label')} onInput={(e) => table.setLevel(Number(e.currentTarget.value))} />
            <b class="big lv">{level}</b>
            <span class="mute sm lvname" title={rated ? t('level.elo') : t('level.unrated')}>
              {rated ? `${Math.round(row.elo!)} ± ${Math.round(row.error ?? 0)}` : row?.name ? word('level', row.name) : ''}
            </span>
          </>
        )}
        {mode !== 'people' && (
          <button
            type="button"
            class="tool small"
            data-act="agent"
            aria-pressed={free}
            aria-label={t(free ? 'agent.levels' : 'agent.any')}
            title={t(free ? 'agent.levels' : 'agent.any')}
            onClick={() => {
              if (free && agent !== undefined) table.setAgent('');
              typing.value = !free;
            }}
          >
            <Icon name={free ? 'rate' : 'edit'} />
          </button>
        )}
      </div>
      {mode !== 'people' && <div class="row second">{rest}</div>}
    </section>
  );
}

// --- evaluation

export function evaluation(table: Table): { value: number; text: string; note: string } | null {
  const n = table.path.value.at(-1);
  if (!n) return null;
  const best = table.over.value ? undefined : table.analysis.value?.moves[0];
  const turn = table.session.value!.seat === 0;
  // What the engine says now; else what is noted here.
  const value = best && best.value !== null ? (turn ? best.value : 1 - best.value) : table.valueAt(n);
  if (value === null) return null;
  const margin = best?.margin !== undefined ? (turn ? best.margin : -best.margin) : table.marginAt(n);
  const depth = best?.depth ?? n.depth;
  const text = table.def.value.unit === 'discs' && margin !== null ? signed(margin) : `${percent(value)} %`;
  const side = table.side(0);
  const note = table.over.value ? '' : best && proof(best.line) ? t('eval.exact', { side }) : depth ? t('eval.by', { side, n: depth }) : side;
  return { value, text, note };
}

export function EvalBar({ table }: PanelProps) {
  const e = evaluation(table);
  const share = e ? Math.max(0.03, Math.min(0.97, e.value)) : 0.5;
  const style = { '--v': `${(100 * (table.flip.value ? 1 - share : share)).toFixed(1)}%` };
  const own = table.flip.value ? 'bar turned' : 'bar';
  const colours = table.def.value.family === 'contrast' ? ' duo' : table.def.value.family === 'tictactoe' ? ' plainbar' : '';
  return (
    <div class={`${own}${colours}${e ? '' : ' unknown'}`} style={style} role="meter" aria-label={t('eval.label')} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(100 * share)} aria-valuetext={e?.text ?? '–'}>
      <i />
    </div>
  );
}

export function EvalGraph({ table }: PanelProps) {
  const discs = table.def.value.unit === 'discs';
  const line = table.line.value;
  const values = line.map((n, ply) => {
    const v = table.valueAt(n);
    const m = table.marginAt(n);
    return { ply, v: discs ? m : v };
  });
  const known = values.filter((q): q is { ply: number; v: number } => q.v !== null);
  const scale = discs ? Math.max(8, 8 * Math.ceil(Math.max(0, ...known.map((q) => Math.abs(q.v))) / 8)) : 1;
  const points = known.map((q) => ({ ply: q.ply, value: discs ? q.v / scale : 2 * q.v - 1 }));
  const e = evaluation(table);
  return (
    <section data-tab="graph" class="graph">
      <div class="row">
        <h2>{t(discs ? 'eval.discs' : 'eval.win')}</h2>
        <span class="sp" />
        {e && <span class="num">{e.text}</span>}
        {e && <span class="mute sm">{e.note}</span>}
      </div>
      <Graph
        points={points}
        plies={line.length - 1}
        at={table.path.value.length - 1}
        top={discs ? `+${scale}` : '100'}
        zero={discs ? '0' : '50'}
        bottom={discs ? `−${scale}` : '0'}
        height={discs ? 84 : 72}
        go={(ply) => line[ply] && void table.goto(line[ply].id)}
      />
    </section>
  );
}

// --- moves

const markClass: Record<string, string> = { '?!': 'm1', '?': 'm2', '??': 'm3', '!': 'm0' };

function MoveButton({ table, node }: PanelProps & { node: SessionNode }) {
  const at = node.id === table.session.value!.at;
  return (
    <button type="button" class={at ? 'mv at' : 'mv'} aria-current={at ? 'step' : undefined} data-node={node.id} onClick={() => void table.goto(node.id)}>
      {node.move ?? '…'}
      {node.mark && <i class={markClass[node.mark] ?? ''}>{node.mark}</i>}
    </button>
  );
}

// A line of moves below the point where it leaves another one; lines that leave it stand within it.
function Variation({ table, node, from, tree }: PanelProps & { node: SessionNode; from: number; tree: Map<number, SessionNode[]> }) {
  const parts = [];
  let ply = from;
  for (let n: SessionNode | undefined = node; n; n = tree.get(n.id)?.[0], ply++) {
    parts.push(<MoveButton key={n.id} table={table} node={n} />);
    for (const c of tree.get(n.id)?.slice(1) ?? [])
      parts.push(
        <ul class="sub" key={`v${c.id}`}>
          <Variation table={table} node={c} from={ply + 1} tree={tree} />
        </ul>,
      );
  }
  return (
    <li class="variation" aria-label={t('moves.variation')}>
      <span class="mute sm">{from}.</span>
      {parts}
      <button type="button" class="tiny" title={t('moves.promote')} aria-label={t('moves.promote')} onClick={() => void table.promote(node.id)}>↑</button>
      <button type="button" class="tiny" title={t('moves.delete')} aria-label={t('moves.delete')} onClick={() => void table.remove(node.id)}>×</button>
    </li>
  );
}

export function Moves({ table }: PanelProps) {
  const ref = useRef<HTMLElement>(null);
  const s = table.session.value!;
  const children = new Map<number, SessionNode[]>();
  for (const n of s.nodes) if (n.parent !== undefined) children.set(n.parent, [...(children.get(n.parent) ?? []), n]);
  // The main line is the first children's; other children stand below as variations, theirs too.
  const main: SessionNode[] = [];
  for (let n = children.get(s.nodes[0]!.id)?.[0]; n; n = children.get(n.id)?.[0]) main.push(n);
  const solo = s.seats.length === 1;
  useEffect(() => {
    const el = ref.current?.querySelector<HTMLElement>('.at');
    const box = ref.current;
    if (!el || !box || box.scrollHeight <= box.clientHeight) return;
    const top = el.offsetTop - box.offsetTop;
    if (top < box.scrollTop + 8 || top > box.scrollTop + box.clientHeight - 40) box.scrollTop = top - box.clientHeight / 2;
  }, [s.at, s.nodes.length]);
  const rows = [];
  const wide = table.def.value.family === 'contrast' || s.nodes.some((n, i) => i > 0 && (children.get(n.parent ?? -1)?.length ?? 0) > 1);
  const side = (n: SessionNode | undefined, ply: number) => {
    if (!n) return [];
    return (children.get(n.parent ?? -1) ?? []).slice(1).flatMap((c) => [<Variation key={c.id} table={table} node={c} from={ply} tree={children} />]);
  };
  for (let i = 0; i < main.length; i += solo ? 1 : 2) {
    const a = main[i]!;
    const b = solo ? undefined : main[i + 1];
    rows.push(
      <li key={a.id}>
        <i>{solo ? i + 1 : i / 2 + 1}</i>
        <MoveButton table={table} node={a} />
        {b ? <MoveButton table={table} node={b} /> : <span />}
      </li>,
      ...side(a, i + 1),
      ...side(b, i + 2),
    );
  }
  return (
    <section ref={ref} class="grow" data-tab="moves" tabIndex={0} aria-label={t('moves.title')}>
      <div class="row moveshead">
        {s.opening ? <p class="openingname"><span class="mute sm">{t('moves.opening')}</span> <b>{s.opening[settings.value.lang]}</b></p> : <h2 class="d">{t('moves.title')}</h2>}
        <span class="sp" />
        <ReviewButton table={table} />
      </div>
      {main.length === 0 ? <p class="mute sm">{t('moves.empty')}</p> : <ol class={wide || solo ? 'moves one' : 'moves'}>{rows}</ol>}
      <ReviewBox table={table} />
    </section>
  );
}

function ReviewButton({ table }: PanelProps) {
  const r = table.review.value;
  const busy = table.reviewing.value;
  if (!table.def.value.reviewer || (table.line.value.length < 6 && !table.over.value && !r)) return null;
  if (!busy) return <button type="button" class="link" onClick={() => void table.runReview()}>{t(r ? 'review.again' : 'review.run')}</button>;
  return (
    <>
      <progress value={busy.done} max={busy.all} aria-label={t('review.title')} />
      <span class="mute sm">{t('review.progress', busy)}</span>
      <button type="button" class="link" onClick={() => table.stopReview()}>{t('review.stop')}</button>
    </>
  );
}

// What a review found, below the moves; brought into view when it is there.
function ReviewBox({ table }: PanelProps) {
  const ref = useRef<HTMLDivElement>(null);
  const r = table.reviewing.value ? null : table.review.value;
  useEffect(() => ref.current?.scrollIntoView({ block: innerWidth < 1000 ? 'nearest' : 'start' }), [r]);
  if (!r || !table.def.value.reviewer) return null;
  const bad = r.moves.filter((m) => m.mark !== '');
  return (
    <div class="review" ref={ref}>
      <p class="mute sm">
        {[0, 1].map((i) => `${table.who(i)}: ${t('review.loss', { n: (100 * (r.seats[i]?.mean_loss ?? 0)).toFixed(1) })}`).join(' · ')}
      </p>
      {bad.length === 0 && <p class="sm">{t('review.none')}</p>}
      <ul class="bad">
        {bad.map((m) => (
          <li key={m.ply}>
            <button type="button" class="mv" onClick={() => table.line.value[m.ply] && void table.goto(table.line.value[m.ply]!.id)}>
              {m.ply}. {m.move}<i class={markClass[m.mark] ?? ''}>{m.mark}</i>
            </button>
            <span class="mute sm">{t('review.best', { move: m.best })}</span>
            {m.turning && <span class="chip on">{t('review.turning')}</span>}
            <span class="sp" />
            <button type="button" class="link" onClick={() => void table.retry(m.ply)}>{t('review.retry')}</button>
          </li>
        ))}
      </ul>
    </div>
  );
}

// --- lines

export function Lines({ table }: PanelProps) {
  const a = table.analysis.value;
  const on = table.engineOn.value;
  const hint = table.hint.value;
  const shown = a?.moves.slice(0, 4) ?? (hint ? [hint] : []);
  const plain = table.def.value.unit === 'none';
  const note = plain ? (hint ? '' : t('hint.ask')) : !on ? (hint ? '' : t('lines.off')) : table.over.value ? t('lines.none') : table.thinking.value ? t('lines.turn') : a ? '' : t('lines.wait');
  const discs = table.def.value.unit === 'discs';
  const nodes = a?.moves[0]?.nodes ?? 0;
  const busy = table.analysing.value;
  return (
    <section data-tab="lines" class="linesbox">
      <div class="row">
        <h2>{plain || (hint && !on) ? t('act.hint') : t('lines.title')}</h2>
        <span class="sp" />
        {on && nodes > 0 && <span class="mute sm">{t('lines.positions', { n: number(nodes) })}</span>}
        {on && (
          <button type="button" class="tool small" data-act="deeper" aria-label={t('lines.deeper')} title={t('lines.deeper')} aria-disabled={busy} hidden={!busy && !table.canDeepen.value} onClick={() => table.deepen()}>
            {busy ? <span class="spin" /> : <Icon name="new" />}
          </button>
        )}
      </div>
      {note && <p class="mute sm">{note}</p>}
      <ol class="lines" onMouseLeave={() => void table.showLine(null)}>
        {shown.map((l, i) => {
          const pv = movesOf(l.line);
          const rest = pv[0] === l.move ? pv.slice(1) : pv;
          const points = /(expects|fires) (\d+) points/.exec(l.line);
          const words = pv.length > 0 ? '' : points ? t(points[1] === 'fires' ? 'lines.fires' : 'lines.expects', { n: number(Number(points[2])) }) : l.line;
          return (
            <li key={`${i}`}>
              <button
                type="button"
                class="pv"
                onMouseEnter={() => void table.showLine(l)}
                onFocus={() => void table.showLine(l)}
                onBlur={() => void table.showLine(null)}
                onClick={() => {
                  void table.showLine(null);
                  if (table.yourTurn.value) void table.play(l.move);
                }}
              >
                <span class={l.value === null ? '' : i === 0 ? 'chip on num' : 'chip num'}>
                  {l.value === null ? '' : discs && l.margin !== undefined ? signed(l.margin) : `${percent(l.value)} %`}
                </span>
                <span class="mute sm">{proof(l.line) || (l.depth > 0 ? t('lines.depth', { n: l.depth }) : '')}</span>
                <span class="pvmoves"><b>{l.move}</b> {rest.join(' ')}{words}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

// --- actions

export function Actions({ table }: PanelProps) {
  const watch = table.mode.value === 'watch';
  const button = (icon: IconName, label: Key, run: () => void, on = true) => (
    <button type="button" disabled={!on} onClick={run} data-act={icon}>
      <Icon name={icon} />
      <span>{t(label)}</span>
    </button>
  );
  return (
    <section class="actions">
      {button('undo', 'act.undo', () => void table.undo(), table.canUndo.value)}
      {button('redo', 'act.redo', () => void table.redo(), table.canRedo.value)}
      {watch
        ? button(table.paused.value ? 'play' : 'pause', table.paused.value ? 'act.resume' : 'act.pause', () => table.setPaused(!table.paused.value), !table.over.value)
        : button('hint', 'act.hint', () => void table.askHint(), table.yourTurn.value && !table.hinting.value && !table.swapping.value)}
      {table.def.value.family !== 'puyo' && button('flip', 'act.flip', () => table.setFlip())}
      {button('new', 'act.new', () => void table.newGame())}
      {button('share', 'act.share', () => open.value = 'share')}
    </section>
  );
}

export function Ending({ table }: PanelProps) {
  const closed = useSignal(-1);
  const e = table.ending.value;
  const at = table.session.value!.at;
  if (!e || closed.value === at || table.reviewing.value) return null;
  return (
    <div class="ending" role="status">
      <div>
        <b class="big">{e.title}</b>
        {e.why && <span class="mute"> {e.why}</span>}
      </div>
      <div class="row">
        <button type="button" class="go" onClick={() => void table.newGame()}>{t('end.again')}</button>
        {table.def.value.reviewer && table.line.value.length > 2 && (
          <button type="button" class="ghost" onClick={() => { closed.value = at; void table.runReview(); }}>{t('end.review')}</button>
        )}
        <button type="button" class="tool" aria-label={t('act.close')} onClick={() => (closed.value = at)}><Icon name="close" /></button>
      </div>
    </div>
  );
}
