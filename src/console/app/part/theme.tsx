import { effect, signal } from '@preact/signals';

import { shellWords } from '../word/shell.ts';
import { type Language, language } from '../word/words.ts';
import { Choice } from './control/field.tsx';

type Theme = 'auto' | 'light' | 'dark';

const KEPT = 'svc-look';
const LOOKS: readonly Theme[] = ['auto', 'light', 'dark'];

/** Light or dark: as the system has it unless the person chose. */
export const theme = signal<Theme>(
  LOOKS.find((each) => each === localStorage.getItem(KEPT)) ?? 'auto',
);

function setTheme(given: Theme): void {
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

function setLanguage(given: Language): void {
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

/** Language and appearance, kept in this browser. */
export function Choices() {
  const w = shellWords();
  return (
    <div class="row choices">
      <Choice
        label={w.language}
        value={language.value}
        onChange={(given) => setLanguage(given === 'zh' ? 'zh' : 'en')}
        options={[
          ['en', 'English'],
          ['zh', '中文'],
        ]}
      />
      <Choice
        label={w.look.label}
        value={theme.value}
        onChange={(given) => setTheme(given === 'light' || given === 'dark' ? given : 'auto')}
        options={[
          ['auto', w.look.auto],
          ['light', w.look.light],
          ['dark', w.look.dark],
        ]}
      />
    </div>
  );
}
