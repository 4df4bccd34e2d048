import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import { Choice, TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { may } from '../../session/session.ts';
import { accountsWords } from '../../word/agent/accounts.ts';

const MOST = 100;

/** Adds an account for a program, with what it is for and its role. */
export function NewAccount({ onClose }: { onClose(): void }) {
  const w = accountsWords().accounts;
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState('');
  const [roleCode, setRole] = useState('');
  const roles = useAsk(
    'POST /auth/role/list',
    may('svc-center-auth:role:list') ? { page: { current: 1, size: MOST } } : null,
  );
  const add = useAct('POST /auth/service_account/add');
  const go = async (): Promise<void> => {
    const done = await add.run({
      serviceAccountName: name,
      purpose,
      ...(roleCode !== '' && { roleCode }),
    });
    if (done !== null) onClose();
  };
  return (
    <FormDialog
      title={w.add}
      go={w.add}
      isRunning={add.isRunning}
      isOff={name === ''}
      failure={add.failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(add.failure, 'serviceAccountName')}
        autocomplete="off"
      />
      <TextField
        label={w.purpose}
        value={purpose}
        onChange={setPurpose}
        wrong={wrongOf(add.failure, 'purpose')}
        autocomplete="off"
      />
      {roles.data && (
        <Choice
          label={w.role}
          hint={w.roleHint}
          value={roleCode}
          onChange={setRole}
          options={[
            ['', w.ownRole],
            ...roles.data.records.map((role) => [role.roleCode, role.roleName] as const),
          ]}
        />
      )}
    </FormDialog>
  );
}
