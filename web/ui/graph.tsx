// The evaluation over a game: one curve, the first player's side up. A click goes to that move.
import { useRef } from 'preact/hooks';
import { t } from './i18n';

export interface Point {
  ply: number;
  value: number; // -1 to 1 of the scale
}

export function Graph(p: { points: Point[]; plies: number; at: number; top: string; zero: string; bottom: string; height?: number; go(ply: number): void }) {
  const ref = useRef<SVGSVGElement>(null);
  const h = p.height ?? 84;
  const mid = h / 2;
  const span = mid - 6;
  const last = Math.max(p.plies, 10);
  const x = (ply: number) => 36 + (396 * ply) / last;
  const y = (v: number) => mid - span * Math.max(-1, Math.min(1, v));
  const curve = p.points.map((q) => `${x(q.ply).toFixed(1)},${y(q.value).toFixed(1)}`).join(' ');
  const first = p.points[0];
  const end = p.points.at(-1);
  const here = p.points.find((q) => q.ply === p.at);
  return (
    <svg
      ref={ref}
      class="chart"
      viewBox={`0 0 440 ${h}`}
      role="img"
      aria-label={t('eval.byMove')}
      onClick={(e) => {
        const m = ref.current?.getScreenCTM();
        if (!m) return;
        const q = new DOMPoint(e.clientX, e.clientY).matrixTransform(m.inverse());
        p.go(Math.max(0, Math.min(p.plies, Math.round(((q.x - 36) / 396) * last))));
      }}
    >
      {[[6, p.top], [mid, p.zero], [h - 6, p.bottom]].map(([at, label]) => (
        <g key={at}>
          <path class="g" d={`M36 ${at}H432`} />
          <text x="30" y={Number(at) + 4} text-anchor="end">{label}</text>
        </g>
      ))}
      {first && end && p.points.length > 1 && (
        <>
          <path class="a" d={`M${x(first.ply)} ${mid}L${curve}L${x(end.ply)} ${mid}z`} />
          <polyline class="c" points={curve} />
        </>
      )}
      {p.plies > 0 && <path class="now" d={`M${x(p.at)} 6V${h - 6}`} />}
      {end && end !== here && <circle class="end" cx={x(end.ply)} cy={y(end.value)} r="2.5" fill="var(--accent)" />}
      {here && <circle cx={x(here.ply)} cy={y(here.value)} r="4" fill="var(--accent)" />}
    </svg>
  );
}
