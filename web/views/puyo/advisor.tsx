// The placement advisor: a field, the pairs, and for every placement its score by component.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Advice, Candidate, Chained, PuyoEngine } from '../../engine/puyo';
import { PuyoArt } from '../../games/puyo/board';
import { FieldEditor } from '../../games/puyo/edit';
import { cellOf, changed, empty, parse, toText, type Grid, type Puyo } from '../../games/puyo/field';
import type { Mark } from '../../games/puyo/screen';
import { signed, t, told, word, type Key } from '../../ui/i18n';

const PARTS = ['fold-progress', 'chain-tail', 'connectivity', 'height-penalty', 'chain-sim', 'lookahead'] as const;
const RING = ['R', 'G', 'B', 'Y'];

export const moveText = (move: string): string => {
  const col = Number(move[0]);
  if (move[1] === 'u' || move[1] === 'd') return t(move[1] === 'u' ? 'pv.upright' : 'pv.upside', { n: col });
  return t('pv.flat', { a: move[1] === 'r' ? col : col - 1, b: move[1] === 'r' ? col + 1 : col });
};

// The template: the fold's A and B, and behind it the nearest possible tail, which contradicts no puyo. Where a ghost stands its
// letter would only disturb.
export function marksOf(a: Advice, grid: Grid, ghosts: Puyo[]): Mark[] {
  return a.template.map(([c, r, text]) => ({ c: c - 1, r: r - 1, text: ghosts.some((g) => g.c === c - 1 && g.r === r - 1) ? '' : text, done: cellOf(grid, r - 1, c - 1) !== '.' && (text > 'B' || !!a.advice?.matched.some(([x, y]) => x === c && y === r)) }));
}

// A placement in small: which puyo is where.
function Mini({ move, pair }: { move: string; pair: string }) {
  const at: Record<string, [number, number]> = { u: [0, -1], r: [1, 0], d: [0, 1], l: [-1, 0] };
  const [dx, dy] = at[move[1] ?? 'u'] ?? [0, -1];
  return (
    <svg width="30" height="30" viewBox="-110 -110 220 220" aria-hidden="true">
      <g transform={`translate(${-50 - 50 * dx} ${-50 - 50 * dy})`}><PuyoArt colour={pair[0]!} y={50} /></g>
      <g transform={`translate(${-50 + 50 * dx} ${-50 + 50 * dy})`}><PuyoArt colour={pair[1]!} y={50} /></g>
    </svg>
  );
}

export const ghostOf = (m: Candidate, pair: string): Puyo[] => m.cells.map(([c, r], i) => ({ c: c - 1, r: r - 1, colour: pair[i]!, ghost: true }));

export function Bars({ m, config }: { m: Candidate; config?: boolean }) {
  const most = Math.max(40, ...PARTS.map((p) => Math.abs(m.weighted[p] ?? 0)));
  return (
    <table class="tb pv-bars">
      <tbody>
        {PARTS.map((p) => {
          const v = m.weighted[p] ?? 0;
          const raw = m.scores[p];
          return (
            <tr key={p}>
              <th scope="row">{word('pv.part', p)}</th>
              <td class="pv-bar">
                <svg viewBox="-100 0 200 12" preserveAspectRatio="none" height="12" aria-hidden="true">
                  <rect x={v < 0 ? (100 * v) / most : 0} width={(100 * Math.abs(v)) / most} height="12" rx="2" fill={v < 0 ? 'var(--bad)' : 'var(--accent)'} />
                  <path d="M0-3V15" stroke="var(--edge)" vector-effect="non-scaling-stroke" />
                </svg>
              </td>
              {config && <td class="r mute sm">{raw === undefined ? '' : signed(raw, 0)}</td>}
              <td class="r num">{signed(v, 1)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function Advised({ a, shown, pick }: { a: Advice; shown: Candidate; pick(move: string): void }) {
  return (
    <>
      <section class="pv-best" data-move={shown.move} data-total={shown.total}>
        <div class="row">
          <Mini move={shown.move} pair={a.pair} />
          <b>{moveText(shown.move)}</b>
          <span class="chip on">{word('pv.phase', a.phase)}</span>
          <span class="sp" />
          <b class="big">{signed(shown.total, 1)}</b>
        </div>
        <p class="mute sm">
          {shown.colours ? t('pv.fits', { n: shown.matched.length, a: word('pv.name', shown.colours.A), b: word('pv.name', shown.colours.B) }) : t('pv.fitsNot')}
          {shown.chance !== undefined && ` · ${t('pv.chance', { n: (100 * shown.chance).toFixed(1) })}`}
          {shown.chain > 0 && ` · ${t('puyo.chain', { n: shown.chain })}`}
        </p>
        <Bars m={shown} config />
        {a.tail && <p class="mute sm">{t('pv.tails', { n: a.tail.possible, m: a.tail.missing })}{a.tail.nearest ? ` · ${a.tail.nearest}` : ''}</p>}
      </section>
      <section class="grow" aria-label={t('pv.others')} tabIndex={0}>
        <h2>{t('pv.others')}</h2>
        <ol class="pv-list pv-moves">
          {a.candidates.map((m) => (
            <li key={m.move}>
              <button type="button" aria-pressed={m.move === shown.move} onClick={() => pick(m.move)}>
                <Mini move={m.move} pair={a.pair} />
                <span>{moveText(m.move)}</span>
                <span class="mute sm">{m.chance !== undefined ? `${(100 * m.chance).toFixed(1)} %` : ''}</span>
                <b>{signed(m.total, 1)}</b>
              </button>
            </li>
          ))}
        </ol>
      </section>
    </>
  );
}

function PairPicker({ pair, change, label, none }: { pair: string; change(p: string): void; label: string; none: boolean }) {
  const turn = (i: number) => {
    const now = RING.indexOf(pair[i] ?? '');
    if (pair === '') return change('RR');
    if (none && i === 0 && now === RING.length - 1) return change('');
    const next = RING[(now + 1) % RING.length]!;
    change(i === 0 ? next + pair[1]! : pair[0]! + next);
  };
  return (
    <div class="pv-pair" role="group" aria-label={label}>
      <span class="mute sm">{label}</span>
      {[1, 0].map((i) => (
        <button key={i} type="button" class="padbtn" aria-label={`${label}, ${t(i === 0 ? 'pv.main' : 'pv.sub')}: ${word('pv.colour', pair[i] ?? 'none')}`} onClick={() => turn(i)}>
          {pair ? <svg width="30" height="30" viewBox="0 0 100 100" aria-hidden="true"><PuyoArt colour={pair[i]!} y={50} /></svg> : <span class="mute">–</span>}
        </button>
      ))}
    </div>
  );
}

// #/puyo/advisor?f=Y...../RR....&p=YG&n=GR&m=plus
function fromHash(): { field: Grid; pair: string; next: string[]; mode: 'seed' | 'plus' } {
  const q = new URLSearchParams(location.hash.split('?')[1] ?? '');
  const pair = (x: string | null) => (/^[RGBY]{2}$/.test(x ?? '') ? x! : '');
  const next = (q.get('n') ?? '').split(',');
  return { field: parse(q.get('f') ?? '......'), pair: pair(q.get('p')) || 'RG', next: [pair(next[0] ?? ''), pair(next[1] ?? '')], mode: q.get('m') === 'plus' ? 'plus' : 'seed' };
}

export function Advisor({ engine }: { engine: PuyoEngine }) {
  const first = useSignal(fromHash()).value;
  const grid = useSignal<Grid>(first.field);
  const pair = useSignal(first.pair);
  const next = useSignal<string[]>(first.next[0] ? first.next : ['BY', '']);
  const mode = useSignal<'seed' | 'plus'>(first.mode);
  const advice = useSignal<Advice | null>(null);
  const error = useSignal('');
  const picked = useSignal('');
  const past = useSignal<[Grid, string, string[]][]>([]);
  const overlay = useSignal(true);

  const field = toText(grid.value);
  const ahead = next.value[0] ? next.value.filter(Boolean).join(',') : '';
  useEffect(() => {
    let wanted = true;
    engine
      .ask<{ advice: Advice }>('advise', { field, pair: pair.value, next: ahead || undefined, mode: mode.value })
      .then((r) => {
        if (!wanted) return;
        advice.value = r.advice;
        error.value = '';
        picked.value = r.advice.advice?.move ?? '';
      })
      .catch((e: Error) => {
        if (!wanted) return;
        advice.value = null;
        error.value = told(e);
      });
    history.replaceState(null, '', `#/puyo/advisor?f=${field}&p=${pair.value}&n=${ahead}&m=${mode.value}`);
    return () => void (wanted = false);
  }, [field, pair.value, ahead, mode.value]);

  const a = advice.value;
  const shown = a?.candidates.find((m) => m.move === picked.value) ?? a?.advice ?? null;
  const ghosts = shown ? ghostOf(shown, pair.value) : [];
  const set = (g: Grid) => {
    past.value = [...past.value, [grid.value, pair.value, next.value]];
    grid.value = g;
  };
  const place = async () => {
    if (!shown) return;
    let g = grid.value;
    for (const [i, [c, r]] of [...shown.cells.entries()].sort((x, y) => x[1][1] - y[1][1])) g = changed(g, c - 1, r - 1, pair.value[i]!);
    const after = await engine.ask<Chained>('chain', { field: toText(g) });
    set(parse(after.links.at(-1)?.field ?? after.field));
    if (next.value[0]) {
      pair.value = next.value[0];
      next.value = [next.value[1] ?? '', ''];
    }
  };
  const back = () => {
    const last = past.value.at(-1);
    if (!last) return;
    past.value = past.value.slice(0, -1);
    [grid.value, pair.value, next.value] = last;
  };
  return (
    <div class="pv-game pv-advisor">
      <div class="pv-work">
        <FieldEditor grid={grid} change={set} extra={ghosts} marks={a && overlay.value ? marksOf(a, grid.value, ghosts) : []} />
        <div class="pv-pairs">
          <PairPicker label={t('pv.current')} pair={pair.value} change={(p) => (pair.value = p)} none={false} />
          <PairPicker label={t('puyo.next')} pair={next.value[0] ?? ''} change={(p) => (next.value = p ? [p, next.value[1] ?? ''] : ['', ''])} none />
          <PairPicker label={t('pv.next2')} pair={next.value[1] ?? ''} change={(p) => (next.value = [next.value[0] ?? '', p])} none />
        </div>
      </div>
      <aside class="panel pv-side">
        <section>
          <div class="row">
            <h1>{t('pv.advisor')}</h1>
            <span class="sp" />
            <fieldset class="choice pv-mode">
              <legend class="hidden">{t('pv.mode')}</legend>
              {(['seed', 'plus'] as const).map((m) => (
                <label key={m} class={mode.value === m ? 'on' : ''} title={t(`pv.mode.${m}` as Key)}>
                  <input type="radio" name="mode" checked={mode.value === m} onChange={() => (mode.value = m)} />
                  {m}
                </label>
              ))}
            </fieldset>
          </div>
          <p class="mute sm">{t(`pv.mode.${mode.value}` as Key)}</p>
          <div class="row pv-buttons">
            <button type="button" class="go" data-act="place" disabled={!shown} onClick={() => void place()}>{t('pv.place')}</button>
            <button type="button" class="ghost" data-act="undo" disabled={past.value.length === 0} onClick={back}>{t('act.undo')}</button>
            <button type="button" class="ghost" data-act="clear" onClick={() => set(empty())}>{t('edit.clear')}</button>
            <label class="row sm"><input type="checkbox" checked={overlay.value} onChange={(e) => (overlay.value = e.currentTarget.checked)} />{t('pv.overlay')}</label>
          </div>
        </section>
        {error.value && <section><p class="error" role="alert">{error.value}</p></section>}
        {a && shown && <Advised a={a} shown={shown} pick={(m) => (picked.value = m)} />}
        {a && !shown && <section><p class="mute">{t('pv.noRoom')}</p></section>}
      </aside>
    </div>
  );
}
