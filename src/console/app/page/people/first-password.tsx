import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { peopleWords } from '../../word/settings/people.ts';
import { nameOf, type User } from './user.ts';

type Given = {
  person: User;
  /** Null where the person has none yet. */
  login: Schemas['LocalCredential'] | null;
  changed(): void;
  onClose(): void;
};

/** Sets a password that has to be changed at the next login, of a login that is there or made with it. */
export function FirstPassword({ person, login, changed, onClose }: Given) {
  const w = peopleWords();
  const [name, setName] = useState(login?.loginName ?? person.userName);
  const [password, setPassword] = useState('');
  const reset = useAct('POST /auth/local_credential/reset_password');
  const add = useAct('POST /auth/local_credential/add');
  const failure = reset.failure ?? add.failure;
  const go = async (): Promise<void> => {
    const done = login
      ? await reset.run({ id: login.id, password })
      : await add.run({ principalId: person.principalId, loginName: name, password });
    if (done === null) return;
    announce(w.login.resetDone);
    changed();
    onClose();
  };
  const label = login ? w.login.reset : w.login.add;
  return (
    <FormDialog
      title={login ? w.login.resetTitle(nameOf(person)) : label}
      go={label}
      kind={login ? 'danger' : 'primary'}
      isRunning={reset.isRunning || add.isRunning}
      isOff={name === '' || password === ''}
      failure={failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <p>{login ? w.login.resetMeans : w.login.addMeans}</p>
      {!login && (
        <TextField
          label={w.name}
          value={name}
          onChange={setName}
          wrong={wrongOf(failure, 'loginName')}
          autocomplete="off"
        />
      )}
      <TextField
        label={login ? w.login.fresh : w.first}
        type="password"
        value={password}
        onChange={setPassword}
        wrong={wrongOf(failure, 'password')}
        autocomplete="new-password"
      />
    </FormDialog>
  );
}
