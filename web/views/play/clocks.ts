// Clocks of both sides, kept by the page: main time and a bonus after each move. They run on real time, also while an agent
// thinks; whoever has none left has lost.
import { signal } from '@preact/signals';
import type { Clock } from './record';

export const controls: [number, number][] = [[60, 0], [180, 2], [300, 0], [300, 5], [600, 0], [900, 10]];

export class Clocks {
  readonly control = signal<{ main: number; bonus: number } | null>(null);
  readonly left = signal<[number, number]>([0, 0]);
  readonly running = signal(-1);
  private since = 0;
  private timer = 0;

  constructor(private readonly out: (seat: number) => void) {}

  fresh(was: Clock | null | undefined): Clock | null {
    return was ? { ...was, left: [was.main, was.main] } : null;
  }

  set(c: Clock | null): void {
    this.stop();
    this.control.value = c && { main: c.main, bonus: c.bonus };
    if (c) this.left.value = [...c.left];
  }

  kept(): Clock | null {
    const c = this.control.value;
    return c && { ...c, left: this.now() };
  }

  private now(): [number, number] {
    const [a, b] = this.left.value;
    const spent = this.running.value < 0 ? 0 : (performance.now() - this.since) / 1000;
    return [this.running.value === 0 ? a - spent : a, this.running.value === 1 ? b - spent : b];
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    if (this.running.value >= 0) this.left.value = this.now();
    this.running.value = -1;
  }

  // Somebody has moved: the bonus.
  moved(seat: number): void {
    const c = this.control.value;
    if (!c || seat < 0) return;
    const left = this.now();
    this.since = performance.now();
    left[seat] = left[seat]! + c.bonus;
    this.left.value = left;
  }

  run(seat: number): void {
    this.stop();
    if (!this.control.value || seat < 0) return;
    this.since = performance.now();
    this.running.value = seat;
    this.timer = window.setInterval(() => {
      const left = this.now();
      this.since = performance.now();
      this.left.value = left;
      if (left[seat]! > 0) return;
      left[seat] = 0;
      this.stop();
      this.left.value = left;
      this.out(seat);
    }, 200);
  }
}

export const clockText = (seconds: number): string => {
  const s = Math.max(0, seconds);
  if (s < 10) return s.toFixed(1);
  const whole = Math.ceil(s);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
};
