import { effect, signal } from '@preact/signals';

import { language } from '../word/words.ts';

export type Look = 'auto' | 'light' | 'dark';

const KEPT = 'svc-look';
const LOOKS: readonly Look[] = ['auto', 'light', 'dark'];

/** Light or dark: as the system has it unless the person chose. */
export const look = signal<Look>(
  LOOKS.find((each) => each === localStorage.getItem(KEPT)) ?? 'auto',
);

export function setLook(given: Look): void {
  look.value = given;
  localStorage.setItem(KEPT, given);
}

/** Keeps the document's look and language as chosen. */
export const startLook = (): void => {
  effect(() => {
    document.documentElement.dataset['look'] = look.value;
    document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
  });
};
