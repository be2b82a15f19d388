// What the visitor chose, kept in this browser.
import { effect, signal } from '@preact/signals';

export type Lang = 'en' | 'ja';
export type Theme = 'auto' | 'light' | 'dark';

export interface Settings {
  lang: Lang;
  theme: Theme;
  sound: boolean;
  confirm: boolean;
  numbers: boolean;
}

const KEY = 'keiko.settings';

export function stored<T>(key: string): T | null {
  try {
    const text = localStorage.getItem(key);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

export const unstored = signal(false); // this browser keeps nothing: full, or forbidden

export function store(key: string, value: unknown): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    unstored.value = false;
  } catch {
    unstored.value = true; // must not stop a game
  }
}

const query = new URLSearchParams(location.search);
const asked = (key: string, of: readonly string[]) => of.find((v) => v === query.get(key));

const preset: Settings = {
  lang: navigator.language.startsWith('ja') ? 'ja' : 'en',
  theme: 'auto',
  sound: false,
  confirm: false,
  numbers: false,
};

const lang = asked('lang', ['en', 'ja']) as Lang | undefined;
const theme = asked('theme', ['auto', 'light', 'dark']) as Theme | undefined;

export const settings = signal<Settings>({
  ...preset,
  ...stored<Partial<Settings>>(KEY),
  ...(lang ? { lang } : {}),
  ...(theme ? { theme } : {}),
});

export function change(part: Partial<Settings>): void {
  settings.value = { ...settings.value, ...part };
  store(KEY, settings.value);
}

export const isDark = (): boolean =>
  settings.value.theme === 'dark' || (settings.value.theme === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);

export const calm = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;

effect(() => {
  const root = document.documentElement;
  root.lang = settings.value.lang;
  if (settings.value.theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = settings.value.theme;
});
