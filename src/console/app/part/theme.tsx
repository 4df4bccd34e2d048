import { effect, signal } from '@preact/signals';
import { useState } from 'preact/hooks';

import { store, stored } from '../client/storage/stored.ts';
import { partWords } from '../word/part.ts';
import { shellWords } from '../word/shell.ts';
import { type Language, language } from '../word/words.ts';
import { Choice } from './control/field.tsx';
import { Note } from './value/mark.tsx';

type Theme = 'auto' | 'light' | 'dark';

const LOOK = 'svc-look';
const LOOKS: readonly Theme[] = ['auto', 'light', 'dark'];

/** Light or dark: as the system has it unless the person chose. */
export const theme = signal<Theme>(LOOKS.find((each) => each === stored(LOOK)) ?? 'auto');

function setTheme(given: Theme): boolean {
  theme.value = given;
  return store(LOOK, given);
}

const LANGUAGE = 'svc-language';

/** As chosen in this browser, else as the browser asks for. */
function firstLanguage(): Language {
  const chosen = stored(LANGUAGE);
  if (chosen === 'en' || chosen === 'zh') return chosen;
  return navigator.language.startsWith('zh') ? 'zh' : 'en';
}

function setLanguage(given: Language): boolean {
  language.value = given;
  return store(LANGUAGE, given);
}

/** Keeps the document's look and language as chosen. */
export const startTheme = (): void => {
  language.value = firstLanguage();
  effect(() => {
    document.documentElement.dataset['look'] = theme.value;
    document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en';
  });
};

/** What was chosen holds at once, and no longer than the page is open. */
export const NotStored = () => (
  <Note tone="warning" shape="triangle" role="alert">
    {partWords().notStored}
  </Note>
);

/** Language and appearance, stored in this browser. */
export function Choices() {
  const w = shellWords();
  const [isStored, setStored] = useState(true);
  return (
    <div class="row choices">
      <Choice
        label={w.language}
        value={language.value}
        onChange={(given) => setStored(setLanguage(given === 'zh' ? 'zh' : 'en'))}
        options={[
          ['en', 'English'],
          ['zh', '中文'],
        ]}
      />
      <Choice
        label={w.look.label}
        value={theme.value}
        onChange={(given) =>
          setStored(setTheme(given === 'light' || given === 'dark' ? given : 'auto'))
        }
        options={[
          ['auto', w.look.auto],
          ['light', w.look.light],
          ['dark', w.look.dark],
        ]}
      />
      {!isStored && <NotStored />}
    </div>
  );
}
