import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import { call } from '../../client/call.ts';
import { may } from '../../client/session.ts';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/control/loaded.tsx';
import { peopleWords } from '../../word/people.ts';

const MOST = 100;

/** Adds a person with a first password, which has to be changed at the first login, and a role. */
export function NewPerson({ onClose }: { onClose(): void }) {
  const w = peopleWords();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState('');
  const [principalId, setPrincipalId] = useState<string | null>(null);
  const roles = useAsk(
    'POST /auth/role/list',
    may('svc-center-auth:role:list') ? { page: { current: 1, size: MOST } } : null,
  );
  const add = useAct('POST /auth/user_profile/add');
  const login = useAct('POST /auth/local_credential/add');
  const bind = useAct('POST /auth/role_principal/add');
  /** What was made stays: a second press goes on where the first was refused. */
  const go = async (): Promise<void> => {
    const made = principalId ?? (await person());
    if (made === null) return;
    const isLogin = await login.run({ principalId: made, loginName: name, password });
    if (isLogin === null) return;
    if (role !== '' && (await bind.run({ roleId: role, principalId: made })) === null) return;
    onClose();
  };
  async function person(): Promise<string | null> {
    const id = await add.run({ userName: name, nickName: name });
    if (id === null) return null;
    const made = (await call('GET /auth/user_profile/get_by_id', { id })).principalId;
    setPrincipalId(made);
    return made;
  }
  const failure = add.failure ?? login.failure ?? bind.failure;
  const isBusy = add.isRunning || login.isRunning || bind.isRunning;
  return (
    <FormDialog
      title={w.add}
      go={w.add}
      isRunning={isBusy}
      isOff={name === '' || password === ''}
      failure={failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(add.failure, 'userName') ?? wrongOf(login.failure, 'loginName')}
        autocomplete="off"
      />
      <TextField
        label={w.first}
        hint={w.firstHint}
        type="password"
        value={password}
        onChange={setPassword}
        wrong={wrongOf(login.failure, 'password')}
        autocomplete="new-password"
      />
      {roles.data && (
        <Choice
          label={w.role}
          value={role}
          onChange={setRole}
          options={[
            ['', w.noRole],
            ...roles.data.records.map(({ id, roleName }) => [id, roleName] as const),
          ]}
        />
      )}
    </FormDialog>
  );
}
