import { signal } from '@preact/signals';

export type Language = 'en' | 'zh';

const KEPT = 'svc-language';

function first(): Language {
  // Tests read the catalogue without a browser.
  if (typeof document === 'undefined') return 'en';
  const kept = localStorage.getItem(KEPT);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
}

/** Language of the screens: as chosen in this browser, else as the browser asks for. */
export const language = signal<Language>(first());

export function setLanguage(given: Language): void {
  language.value = given;
  localStorage.setItem(KEPT, given);
}

type Text = string | ((...given: never[]) => string);
export type Texts = { readonly [name: string]: Text | Texts };
/** The same names with texts of another language. */
type Same<T> = {
  readonly [K in keyof T]: T[K] extends (...given: infer A) => string
    ? (...given: A) => string
    : T[K] extends string
      ? string
      : Same<T[K]>;
};

/** One part of the catalogue: both languages have every text. Called while drawing, it answers those of the language. */
export const words = <const T extends Texts>(both: { en: T; zh: Same<T> }) =>
  Object.assign(() => (language.value === 'zh' ? both.zh : both.en), { both });
