// What Train and Rate have in common: without a server they say how to get one; a lost connection is shown.
import { effect, useSignal, type Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { link } from '../engine/api';
import { Dialog } from '../ui/dialog';
import { t, told, type Key } from '../ui/i18n';

export function NeedsServer({ title, children }: { title: Key; children: ComponentChildren }) {
  if (link.value === 'asking') return <main class="blank" aria-busy="true" />;
  if (link.value === 'none')
    return (
      <main class="blank">
        <div class="need">
          <h1>{t(title)}</h1>
          <p class="mute">{t('server.need')}</p>
          <pre><code>keiko serve</code></pre>
        </div>
      </main>
    );
  return <>{children}</>;
}

export const Lost = () => (link.value === 'lost' ? <p class="lost" role="status"><span class="spin" aria-hidden="true" /> {t('server.lost')}</p> : null);

// A dialog that starts something: with its button, or with Enter in a field. Why it was refused is shown in `said`.
export function Ask(p: { title: Key; go: Key; said: Signal<string>; run(): Promise<unknown>; close(): void; children: ComponentChildren }) {
  const busy = useSignal(false);
  const submit = async (e: Event) => {
    e.preventDefault();
    if (busy.value) return;
    busy.value = true;
    p.said.value = '';
    await p.run().catch((x: unknown) => (p.said.value = told(x)));
    busy.value = false;
  };
  return (
    <Dialog title={t(p.title)} close={p.close}>
      <form onSubmit={submit}>
        {p.children}
        {p.said.value && <p class="error" role="alert">{p.said.value}</p>}
        <div class="row gap8"><span class="sp" /><button class="go" disabled={busy.value}>{t(p.go)}</button></div>
      </form>
    </Dialog>
  );
}

// What it stops saves first, which takes a moment.
export function Stop({ stop, fail }: { stop(): Promise<unknown>; fail(e: Error): void }) {
  const asked = useSignal(false);
  const go = () => {
    asked.value = true;
    stop().catch((e: Error) => {
      asked.value = false;
      fail(e);
    });
  };
  return <button type="button" class="ghost" data-act="stop" disabled={asked.value} onClick={go}>{t('train.stop')}</button>;
}

export const clock = (seconds: number): string => {
  const s = Math.max(0, Math.round(seconds));
  const two = (n: number) => String(n).padStart(2, '0');
  return s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
};

// A list that follows the server while its view is open; `leave` runs when the view goes.
export function useFollow(refresh: () => Promise<unknown>, leave: () => void): void {
  useEffect(() => {
    const ask = () => void (link.value === 'here' && refresh().catch(() => undefined));
    const end = effect(ask);
    const tick = setInterval(() => document.visibilityState === 'visible' && ask(), 4000);
    return () => {
      end();
      clearInterval(tick);
      leave();
    };
  }, []);
}
