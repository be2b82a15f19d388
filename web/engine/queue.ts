// Questions that take time, one after the other. A question that is not wanted any more is skipped, or stopped where it runs.
import { Cancelled } from './refused';

export interface Thinking<T> {
  answer: Promise<T>;
  cancel(): void;
}

export class Queue {
  private busy: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly begin: () => void,
    private readonly stop: () => void,
  ) {}

  ask<T>(run: () => Promise<T>): Thinking<T> {
    let cancelled = false;
    let running = false;
    const answer = this.busy
      .catch(() => undefined)
      .then(async () => {
        if (cancelled) throw new Cancelled('cancelled');
        running = true;
        this.begin();
        try {
          return await run();
        } finally {
          running = false;
        }
      });
    this.busy = answer;
    answer.catch(() => undefined);
    const settled = answer.then((v) => {
      if (cancelled) throw new Cancelled('cancelled');
      return v;
    });
    settled.catch(() => undefined);
    return {
      answer: settled,
      cancel: () => {
        cancelled = true;
        if (running) this.stop();
      },
    };
  }
}
