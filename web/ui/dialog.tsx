// A modal dialog: the browser's own, so that focus, Escape and the backdrop behave as people know them.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icons';
import { t } from './i18n';

export function Dialog(p: { title: string; close(): void; children: ComponentChildren; wide?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const d = ref.current;
    const from = document.activeElement as HTMLElement | null;
    if (d && !d.open) d.showModal();
    return () => {
      d?.close();
      from?.focus(); // the browser does so only for a dialog that stays in the page
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={p.wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(e) => {
        e.preventDefault();
        p.close();
      }}
      onClick={(e) => {
        if (e.target === ref.current) p.close();
      }}
    >
      <div class="dialog-in">
        <header class="row">
          <h1 id={id}>{p.title}</h1>
          <span class="sp" />
          <button class="tool" type="button" aria-label={t('act.close')} onClick={p.close}>
            <Icon name="close" />
          </button>
        </header>
        {p.children}
      </div>
    </dialog>
  );
}
