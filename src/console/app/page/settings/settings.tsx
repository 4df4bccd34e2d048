import { Page, Section } from '../../part/page.tsx';
import { Choices } from '../../shell/choices.tsx';
import { settingsWords } from '../../word/settings.ts';
import { Models } from './models.tsx';
import { Password } from './password.tsx';
import { People } from './people.tsx';

/** `/settings`: one's own login and screens, the people of the tenant, the models of its chat. */
export function Settings() {
  const w = settingsWords();
  return (
    <Page title={w.title}>
      <Section title={w.screens}>
        <Choices />
      </Section>
      <Password />
      <People />
      <Models />
    </Page>
  );
}
