import { effect, signal } from '@preact/signals';

import { type Language, language } from '../word/words.ts';

export type Theme = 'auto' | 'light' | 'dark';

const KEPT = 'svc-look';
const LOOKS: readonly Theme[] = ['auto', 'light', 'dark'];

/** Light or dark: as the system has it unless the person chose. */
export const theme = signal<Theme>(
  LOOKS.find((each) => each === localStorage.getItem(KEPT)) ?? 'auto',
);

export function setTheme(given: Theme): void {
  theme.value = given;
  localStorage.setItem(KEPT, given);
}

const LANGUAGE_KEPT = 'svc-language';

/** As chosen in this browser, else as the browser asks for. */
function firstLanguage(): Language {
  const kept = localStorage.getItem(LANGUAGE_KEPT);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
}

export function setLanguage(given: Language): void {
  language.value = given;
  localStorage.setItem(LANGUAGE_KEPT, given);
}

/** Keeps the document's look and language as chosen. */
export const startTheme = (): void => {
  language.value = firstLanguage();
  effect(() => {
    document.documentElement.dataset['look'] = theme.value;
    document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
  });
};
