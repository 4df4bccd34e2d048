import { Choice } from '../part/control/field.tsx';
import { shellWords } from '../word/shell.ts';
import { language } from '../word/words.ts';
import { theme, setLanguage, setTheme } from './theme.ts';

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
