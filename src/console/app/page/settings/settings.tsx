import { Section } from '../../part/page.tsx';
import { Choices } from '../../shell/choices.tsx';
import { settingsWords } from '../../word/settings.ts';
import { SettingsPage } from './frame.tsx';
import { Password } from './password.tsx';

/** `/settings`: one's own login and screens, and the way to the other settings. */
export function Settings() {
  const w = settingsWords();
  return (
    <SettingsPage title={w.title}>
      <Section title={w.screens}>
        <Choices />
      </Section>
      <Password />
    </SettingsPage>
  );
}
