// Lines over steps or time, drawn by uPlot: bands for intervals, names on the lines instead of a legend, references dashed.
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { settings } from './settings';

export interface Curve {
  name: string;
  y: (number | null)[];
  low?: (number | null)[];
  high?: (number | null)[];
  colour?: string; // a custom property
  dash?: boolean;
  faint?: boolean; // without a name at its end
  value?(i: number): number; // what is said of a point, where it is not y
  area?: boolean; // filled down to the axis: the parts of a whole, each with those below it
}

export interface ChartProps {
  label: string; // read out
  x: number[];
  curves: Curve[];
  format?(v: number): string;
  formatX?(v: number): string;
  height?: number;
  from?: number; // the scale reaches at least here
  to?: number;
  marks?: { y: number; name: string; left?: boolean }[]; // left: its name stands where the curve begins, not where it ends
  breaks?: number[]; // where a run was resumed
  log?: boolean;
}

// Colours of the theme as canvas wants them. The accent is one game's colour: the curve that has the same gets Othello's.
function tint(of: Element): (name: string) => string {
  const probe = document.createElement('span');
  of.append(probe);
  const seen = new Map<string, string>();
  const get = (name: string): string => {
    let c = seen.get(name);
    if (c === undefined) {
      probe.style.color = `var(${name})`;
      c = getComputedStyle(probe).color;
      if (name !== '--accent' && name !== '--othello' && c === get('--accent')) c = get('--othello');
      seen.set(name, c);
    }
    return c;
  };
  queueMicrotask(() => probe.remove());
  for (const n of ['--accent', '--mute', '--line', '--edge', '--ink', '--surface', '--warn', '--contrast', '--puyo', '--renju', '--othello', '--plain', '--p2']) get(n);
  return get;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
export const short = (v: number): string => (Math.abs(v) >= 1000 ? compact.format(v) : String(Number(v.toPrecision(3))));

function names(u: uPlot, p: ChartProps, paint: (n: string) => string): void {
  const c = u.ctx;
  const ratio = devicePixelRatio;
  c.save();
  c.font = `${11 * ratio}px ${getComputedStyle(u.root).fontFamily}`;
  c.textBaseline = 'middle';
  for (const m of p.marks ?? []) {
    const y = u.valToPos(m.y, 'y', true);
    if (y < u.bbox.top || y > u.bbox.top + u.bbox.height) continue;
    c.strokeStyle = paint('--edge');
    c.setLineDash([3 * ratio, 4 * ratio]);
    c.beginPath();
    c.moveTo(u.bbox.left, y);
    c.lineTo(u.bbox.left + u.bbox.width, y);
    c.stroke();
    c.setLineDash([]);
    c.fillStyle = paint('--mute');
    c.textAlign = m.left ? 'left' : 'right';
    c.fillText(m.name, u.bbox.left + (m.left ? 4 * ratio : u.bbox.width - 4 * ratio), y + (y < u.bbox.top + 14 * ratio ? 9 : -8) * ratio);
  }
  for (const at of p.breaks ?? []) {
    const x = u.valToPos(at, 'x', true);
    if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
    c.strokeStyle = paint('--edge');
    c.setLineDash([2 * ratio, 3 * ratio]);
    c.beginPath();
    c.moveTo(x, u.bbox.top);
    c.lineTo(x, u.bbox.top + u.bbox.height);
    c.stroke();
    c.setLineDash([]);
  }
  c.textAlign = 'left';
  // Names stand at their lines' ends: apart from each other, and inside the chart as far as there is room.
  const gap = 13 * ratio;
  const ends = p.curves.flatMap((k) => {
    const i = k.faint || k.name === '' ? -1 : k.y.findLastIndex((v) => v !== null);
    return i < 0 ? [] : [{ k, x: u.valToPos(p.x[i]!, 'x', true) + 6 * ratio, y: u.valToPos(k.y[i]!, 'y', true) }];
  }).sort((a, b) => a.y - b.y);
  ends.forEach((e, i) => (e.y = Math.max(e.y, i > 0 ? ends[i - 1]!.y + gap : u.bbox.top)));
  for (let i = ends.length - 1, most = u.bbox.top + u.bbox.height; i >= 0 && ends[i]!.y > most; i--, most -= gap) ends[i]!.y = most;
  for (const { k, x, y } of ends) {
    c.lineWidth = 3 * ratio;
    c.strokeStyle = paint('--surface');
    c.fillStyle = paint(k.colour ?? '--accent');
    c.strokeText(k.name, x, y);
    c.fillText(k.name, x, y);
  }
  c.restore();
}

// The values under the pointer.
function tell(u: uPlot, tip: HTMLElement, p: ChartProps, paint: (n: string) => string): void {
  const i = u.cursor.idx ?? -1;
  const at = u.cursor.left ?? -1;
  tip.hidden = i < 0 || at < 0;
  if (tip.hidden) return;
  const format = p.format ?? short;
  const rows = p.curves.flatMap((k) => {
    const v = k.y[i];
    if (v === null || v === undefined || k.faint) return [];
    const row = document.createElement('div');
    row.style.color = paint(k.colour ?? '--accent');
    const low = k.low?.[i];
    row.textContent = `${p.curves.length > 1 && k.name ? `${k.name}: ` : ''}${format(k.value ? k.value(i) : v)}${low !== null && low !== undefined ? ` (${format(low)} – ${format(k.high![i]!)})` : ''}`;
    return [row];
  });
  const head = document.createElement('div');
  head.textContent = (p.formatX ?? short)(p.x[i]!);
  tip.replaceChildren(head, ...rows);
  tip.hidden = rows.length === 0;
  const x = u.over.offsetLeft + at;
  tip.style.left = `${Math.max(0, x + 12 + tip.offsetWidth > u.width ? x - 12 - tip.offsetWidth : x + 12)}px`;
}

function options(el: HTMLElement, p: ChartProps, width: number): uPlot.Options {
  const paint = tint(el);
  const format = p.format ?? short;
  const formatX = p.formatX ?? short;
  const font = `11px ${getComputedStyle(el).fontFamily}`;
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const k of p.curves) {
    const colour = paint(k.colour ?? '--accent');
    series.push({ stroke: k.faint ? colour.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.3)') : colour, width: k.faint ? 1 : 2, spanGaps: true, points: { show: (u, i) => (u.data[i] as (number | null)[]).filter((v) => v !== null).length < 2 }, ...(k.dash ? { dash: [4, 4] } : {}), ...(k.area ? { fill: colour, width: 0 } : {}) });
    if (!k.low || !k.high) continue;
    const n = series.length;
    for (let i = 0; i < 2; i++) series.push({ stroke: 'transparent', spanGaps: true, points: { show: false } });
    bands.push({ series: [n + 1, n], fill: colour.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.16)') });
  }
  const longest = Math.max(0, ...p.curves.filter((k) => !k.faint).map((k) => [...k.name].reduce((n, c) => n + (c > '\u2e80' ? 1.9 : 1), 0)));
  const axis = { stroke: paint('--mute'), font, ticks: { show: false } };
  return {
    width,
    height: p.height ?? 180,
    padding: [10, Math.min(150, 12 + 6.2 * longest), 0, 0],
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    legend: { show: false },
    scales: {
      x: { time: false },
      y: p.log ? { distr: 3 } : { range: (_u, low, high) => span(Math.min(low ?? 0, p.from ?? Infinity), Math.max(high ?? 1, p.to ?? -Infinity), p) },
    },
    axes: [
      { ...axis, size: 24, gap: 4, grid: { show: false }, space: 64, values: (_u, v) => v.map((n) => (n === null ? '' : formatX(n))) },
      { ...axis, size: (_u, v) => Math.max(44, 8 + 6.4 * Math.max(0, ...(v ?? []).map((s) => s?.length ?? 0))), gap: 6, grid: { stroke: paint('--line'), width: 1, ...(p.log ? { filter: decades } : {}) }, ...(p.log ? { filter: decades } : {}), space: 34, values: (_u, v) => v.map((n) => (n === null ? '' : format(n))) },
    ],
    series,
    bands,
    hooks: { draw: [(u) => names(u, p, paint)] },
  };
}

const decades = (_u: uPlot, all: number[]): number[] => all.map((v) => (Math.log10(v) % 1 === 0 ? v : (null as unknown as number)));

function span(low: number, high: number, p: ChartProps): [number, number] {
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return [p.from !== undefined && low >= p.from ? p.from : low - room, p.to !== undefined && high <= p.to ? p.to : high + room];
}

const data = (p: ChartProps): uPlot.AlignedData => [p.x, ...p.curves.flatMap((k) => (k.low && k.high ? [k.y, k.low, k.high] : [k.y]))] as uPlot.AlignedData;

export function Chart(p: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const shape = `${p.curves.map((k) => k.name.length + (k.colour ?? '') + !!k.low).join()}|${p.height ?? 0}${p.log ? 'l' : ''}|${settings.value.theme}|${settings.value.lang}`;
  const now = useRef(p);
  now.current = p;
  useEffect(() => {
    const el = box.current!;
    const tip = document.createElement('div');
    tip.className = 'tip';
    tip.hidden = true;
    el.append(tip);
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(el, now.current, el.clientWidth), data(now.current), el);
      const old = plot.current.hooks;
      old.draw = [(u) => names(u, now.current, tint(el))];
      old.setCursor = [(u) => tell(u, tip, now.current, tint(el))];
    };
    make();
    const fit = new ResizeObserver(() => plot.current && plot.current.width !== el.clientWidth && plot.current.setSize({ width: el.clientWidth, height: now.current.height ?? 180 }));
    fit.observe(el);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', make);
    return () => {
      fit.disconnect();
      dark.removeEventListener('change', make);
      plot.current?.destroy();
      plot.current = null;
      tip.remove();
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data(p)));
  return <div class="plot" ref={box} role="img" aria-label={p.label} style={{ height: `${p.height ?? 180}px` }} />;
}
