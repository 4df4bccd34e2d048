import { useState } from 'preact/hooks';

import { useAct } from '../../client/ask.ts';
import { type Failure, failureOf } from '../../client/failure.ts';
import { begin, session } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { RefusedNote, wrongOf } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Choices } from '../../part/theme.tsx';
import { settingsWords } from '../../word/settings.ts';
import { SettingsPage } from './frame.tsx';

/** `/settings`: one's own login and screens, and the way to the other settings. */
export function Settings() {
  const w = settingsWords();
  return (
    <SettingsPage>
      <Section title={w.screens}>
        <Choices />
      </Section>
      <Password />
    </SettingsPage>
  );
}

/** Changes one's own password; every other login of the person ends with it, this one begins anew. */
function Password() {
  const w = settingsWords().password;
  const [old, setOld] = useState('');
  const [fresh, setFresh] = useState('');
  const [again, setAgain] = useState<Failure | null>(null);
  const change = useAct('POST /auth/token/change_password');
  const here = session.value;
  const go = async (): Promise<void> => {
    if (!here) return;
    const [tenant, name] = [here.tenant.tenantCode, here.person.loginName];
    const done = await change.run({ tenant, name, password: old, newPassword: fresh });
    if (!done) return;
    try {
      await begin(tenant, name, fresh);
      setOld('');
      setFresh('');
      announce(w.done);
    } catch (error) {
      setAgain(failureOf(error));
    }
  };
  return (
    <Section title={w.title}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void go();
        }}
      >
        <TextField
          label={w.old}
          type="password"
          value={old}
          onChange={setOld}
          autocomplete="current-password"
          required
        />
        <TextField
          label={w.fresh}
          type="password"
          value={fresh}
          onChange={setFresh}
          wrong={wrongOf(change.failure, 'newPassword')}
          autocomplete="new-password"
          required
        />
        <button type="submit" aria-busy={change.isRunning ? 'true' : 'false'}>
          {w.go}
        </button>
      </form>
      <p class="quiet">{w.means}</p>
      <RefusedNote failure={change.failure ?? again} />
    </Section>
  );
}
