import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { peopleWords } from '../../word/people.ts';
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
  const form = useForm(
    login ? 'POST /auth/local_credential/reset_password' : 'POST /auth/local_credential/add',
    {
      fields: { loginName: login?.loginName ?? person.userName, password: '' },
      needs: ['loginName', 'password'],
      input: ({ loginName, password }) =>
        login
          ? { id: login.id, password }
          : { principalId: person.principalId, loginName, password },
      done() {
        announce(w.login.resetDone);
        changed();
        onClose();
      },
    },
  );
  const label = login ? w.login.reset : w.login.add;
  return (
    <FormDialog
      title={login ? w.login.resetTitle(nameOf(person)) : label}
      go={label}
      kind={login ? 'danger' : 'primary'}
      {...form.sends}
      onClose={onClose}
    >
      <p>{login ? w.login.resetMeans : w.login.addMeans}</p>
      {!login && <TextField label={w.name} {...form.of('loginName')} />}
      <TextField
        label={login ? w.login.fresh : w.first}
        type="password"
        {...form.of('password')}
        autocomplete="new-password"
      />
    </FormDialog>
  );
}
