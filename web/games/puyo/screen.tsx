// A field on canvas that is painted from outside: frames of a match, an edited field, advice.
import { useEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, JSX } from 'preact';
import { settings } from '../../ui/settings';
import { cx, cy, drawField, HEIGHT, palette, WIDTH, type Palette, type Puyo } from './field';

export interface Mark {
  c: number;
  r: number; // from 0
  text: string;
  done: boolean; // the cell fits
}

export class Screen {
  canvas: HTMLCanvasElement | null = null;
  private colours: Palette | null = null;
  private last: [Puyo[], boolean, Mark[]] = [[], true, []];

  attach(canvas: HTMLCanvasElement): () => void {
    this.canvas = canvas;
    const watch = new ResizeObserver(() => this.fit());
    watch.observe(canvas);
    this.fit();
    return () => watch.disconnect();
  }

  fit(): void {
    const canvas = this.canvas;
    if (!canvas) return;
    const box = canvas.getBoundingClientRect();
    const k = Math.min(3, devicePixelRatio || 1);
    canvas.width = Math.round(box.width * k);
    canvas.height = Math.round(box.height * k);
    this.colours = palette(canvas.parentElement!);
    this.paint(...this.last);
  }

  paint(puyos: Puyo[], joined = true, marks: Mark[] = []): void {
    this.last = [puyos, joined, marks];
    const x = this.canvas?.getContext('2d');
    if (!x || !this.colours) return;
    x.setTransform(this.canvas!.width / WIDTH, 0, 0, this.canvas!.height / HEIGHT, 0, 0);
    drawField(x, this.colours, puyos, joined);
    for (const m of marks) this.mark(x, m);
  }

  // A cell of a template: its letter in a dashed frame; a whole frame where the field has it already.
  private mark(x: CanvasRenderingContext2D, m: Mark): void {
    x.save();
    x.translate(cx(m.c), cy(m.r));
    x.strokeStyle = x.fillStyle = this.colours!.ink;
    x.lineWidth = m.done ? 5 : 4;
    if (!m.done) x.setLineDash([12, 10]);
    x.beginPath();
    x.roundRect(-44, -44, 88, 88, 18);
    x.stroke();
    if (!m.done && m.text) {
      x.font = '600 40px sans-serif';
      x.textAlign = 'center';
      x.textBaseline = 'middle';
      x.globalAlpha = 0.75;
      x.fillText(m.text, 0, 2);
    }
    x.restore();
  }
}

export function FieldCanvas({ screen, label, children, ...more }: { screen: Screen; label: string; children?: ComponentChildren } & JSX.IntrinsicElements['canvas']) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => screen.attach(ref.current!), [screen]);
  const theme = settings.value.theme;
  useEffect(() => screen.fit(), [theme, screen]);
  return (
    <div class="fieldbox">
      <canvas ref={ref} class="field" role="img" aria-label={label} {...more} />
      {children}
    </div>
  );
}
