// Texts by key, in the chosen language.
import { Lost, Unloaded } from '../engine/refused';
import { en, type Key } from './en';
import { ja } from './ja';
import { settings } from './settings';

export type { Key };

export function t(key: Key, values: Record<string, string | number> = {}): string {
  const text = (settings.value.lang === 'ja' ? ja : en)[key];
  return text.replace(/\{(\w+)\}/g, (all, name: string) => String(values[name] ?? all));
}

// What was refused or went wrong. The rules, the engine and the server explain it in English: in Japanese that is said, too.
export function told(e: unknown): string {
  if (e instanceof Lost) return t('server.lost');
  if (e instanceof Unloaded) return t('say.offline');
  const why = (e as { message?: string | null } | null)?.message?.replace(/^options[:\d]*: /, '') ?? ''; // what it was read from
  return /[ぁ-んァ-ヶ一-龠]/.test(why) ? why : t('say.refused', { why });
}

// A key made of parts; what no table knows is shown as it is.
export function word(prefix: string, name: string): string {
  const key = `${prefix}.${name}`;
  return key in en ? t(key as Key) : name;
}

export const number = (n: number): string => n.toLocaleString(settings.value.lang === 'ja' ? 'ja-JP' : 'en-US');

export const signed = (n: number, digits = 0): string => {
  const text = Math.abs(n).toFixed(digits);
  return Number(text) === 0 ? text : (n < 0 ? '−' : '+') + text;
};
