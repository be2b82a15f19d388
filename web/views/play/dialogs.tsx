// Dialogs of the play view: share and files, rules, settings with the list of keys.
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Dialog } from '../../ui/dialog';
import { t, told, type Key } from '../../ui/i18n';
import { change, settings, type Lang, type Theme } from '../../ui/settings';
import { Editor } from './editor';
import { Stored } from './stored';
import type { Table } from './table';

export const open = signal<'' | 'share' | 'rules' | 'settings' | 'keys' | 'edit' | 'stored'>('');
const close = () => (open.value = '');

function Share({ table }: { table: Table }) {
  const def = table.def.value;
  const format = useSignal(def.formats[0]!);
  const out = useSignal('');
  const input = useSignal('');
  const said = useSignal('');
  const copied = useSignal(false);
  const link = table.link();
  useEffect(() => {
    out.value = '';
    said.value = '';
    table.exported(format.value).then((x) => (out.value = x)).catch((e: Error) => (said.value = told(e)));
  }, [format.value]);
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      copied.value = true;
    } catch {
      // The text stands in the field: it can be copied by hand.
    }
  };
  const load = async (text: string) => {
    try {
      await table.load(text);
      close();
      table.say(t('say.loaded'));
    } catch (e) {
      said.value = told(e);
    }
  };
  const save = () => {
    const a = document.createElement('a');
    a.href = URL.createObjectURL(new Blob([out.value], { type: 'text/plain' }));
    a.download = `${def.name}.${format.value === 'text' ? 'keiko' : format.value}`;
    a.click();
    URL.revokeObjectURL(a.href);
  };
  return (
    <Dialog title={t('share.title')} close={close}>
      <h2>{t('share.link')}</h2>
      <div class="row gap8">
        <input class="field-text" readOnly value={link} aria-label={t('share.link')} onFocus={(e) => e.currentTarget.select()} />
        <button type="button" class="go" onClick={() => void copy(link)}>{t(copied.value ? 'share.copied' : 'share.copy')}</button>
      </div>
      <h2>{t('share.export')}</h2>
      <div class="row gap8">
        <select class="select" aria-label={t('share.format')} value={format.value} onChange={(e) => (format.value = e.currentTarget.value)}>
          {def.formats.map((f) => <option key={f} value={f}>{f.toUpperCase()}</option>)}
        </select>
        <span class="sp" />
        <button type="button" class="ghost" disabled={!out.value} onClick={() => void copy(out.value)}>{t('share.copy')}</button>
        <button type="button" class="ghost" disabled={!out.value} onClick={save}>{t('share.save')}</button>
      </div>
      <textarea class="field-text" rows={4} readOnly value={out.value} aria-label={t('share.text')} />
      <h2>{t('share.import')}</h2>
      <p class="mute sm">{t('share.importHelp')}</p>
      <textarea class="field-text" rows={3} value={input.value} aria-label={t('share.import')} onInput={(e) => (input.value = e.currentTarget.value)} />
      <div class="row gap8">
        <label class="ghost filelabel">
          {t('share.open')}
          <input type="file" accept=".sgf,.ggf,.obf,.txt,.keiko,.moves,.json" onChange={(e) => void e.currentTarget.files?.[0]?.text().then(load)} />
        </label>
        <span class="sp" />
        <button type="button" class="go" disabled={!input.value.trim()} onClick={() => void load(input.value.trim())}>{t('share.load')}</button>
      </div>
      {said.value && <p class="error" role="alert">{said.value}</p>}
    </Dialog>
  );
}

function Rules({ table }: { table: Table }) {
  const html = useSignal('');
  const lang = settings.value.lang;
  const page = table.def.value.rules;
  useEffect(() => {
    fetch(`rules/${lang}.json`)
      .then((r) => (r.ok ? (r.json() as Promise<Record<string, string>>) : {}))
      .then((x: Record<string, string>) => (html.value = x[page] ?? ''))
      .catch(() => (html.value = ''));
  }, [lang, page]);
  return (
    <Dialog title={`${t(`game.${table.def.value.name}` as Key)} · ${t('who.rules')}`} close={close} wide>
      {/* Written by the build from docs/rules: no text of others. */}
      <div class="prose" tabIndex={0} dangerouslySetInnerHTML={{ __html: html.value }} />
    </Dialog>
  );
}

const keys: [string, Key][] = [
  ['↑ ↓ ← → Enter', 'keys.board'],
  ['U', 'keys.undo'],
  ['R', 'keys.redo'],
  ['H', 'keys.hint'],
  ['F', 'keys.flip'],
  ['E', 'keys.engine'],
  ['← →  , .', 'keys.walk'],
  ['Home End', 'keys.ends'],
  ['Esc', 'keys.escape'],
  ['?', 'keys.help'],
];

function Choice<T extends string>(p: { label: string; value: T; of: [T, string][]; set(v: T): void }) {
  return (
    <fieldset class="choice">
      <legend>{p.label}</legend>
      {p.of.map(([v, text]) => (
        <label key={v} class={v === p.value ? 'on' : ''}>
          <input type="radio" name={p.label} checked={v === p.value} onChange={() => p.set(v)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

function SettingsDialog() {
  const s = settings.value;
  const flag = (key: 'sound' | 'confirm' | 'numbers', label: Key, help?: Key) => (
    <label class="row setting">
      <span>
        {t(label)}
        {help && <small class="mute">{t(help)}</small>}
      </span>
      <span class="sp" />
      <input type="checkbox" role="switch" class="sw" aria-label={t(label)} checked={s[key]} onChange={(e) => change({ [key]: e.currentTarget.checked })} />
    </label>
  );
  return (
    <Dialog title={t('settings.title')} close={close}>
      <Choice<Lang> label={t('settings.language')} value={s.lang} of={[['en', 'English'], ['ja', '日本語']]} set={(lang) => change({ lang })} />
      <Choice<Theme> label={t('settings.theme')} value={s.theme} of={[['auto', t('settings.auto')], ['light', t('settings.light')], ['dark', t('settings.dark')]]} set={(theme) => change({ theme })} />
      {flag('sound', 'settings.sound')}
      {flag('confirm', 'settings.confirm', 'settings.confirmHelp')}
      {flag('numbers', 'settings.numbers')}
      <div class="keylist">
        <h2>{t('settings.keys')}</h2>
        <Keys />
      </div>
    </Dialog>
  );
}

const Keys = () => (
  <table class="tb keys">
    <tbody>
      {keys.map(([k, what]) => (
        <tr key={k}>
          <th scope="row"><kbd>{k}</kbd></th>
          <td>{t(what)}</td>
        </tr>
      ))}
      <tr>
        <th scope="row">{t('nav.puyo')}</th>
        <td>{t('puyo.keys')}</td>
      </tr>
    </tbody>
  </table>
);

export function Dialogs({ table }: { table: Table }) {
  if (open.value === 'share') return <Share table={table} />;
  if (open.value === 'edit') return <Editor table={table} close={close} />;
  if (open.value === 'stored') return <Stored table={table} close={close} />;
  if (open.value === 'rules') return <Rules table={table} />;
  if (open.value === 'settings') return <SettingsDialog />;
  if (open.value === 'keys')
    return (
      <Dialog title={t('settings.keys')} close={close}>
        <Keys />
      </Dialog>
    );
  return null;
}
