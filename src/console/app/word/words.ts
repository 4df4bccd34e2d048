import { signal } from '@preact/signals';

export type Language = 'en' | 'zh';

/** Language of the screens. */
export const language = signal<Language>('en');

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
