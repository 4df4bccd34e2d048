import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { rolesWords } from '../../word/settings/roles.ts';

type Given = { added(id: string, name: string): void; onClose(): void };

/** Adds a role, which holds no right yet. */
export function NewRole({ added, onClose }: Given) {
  const w = rolesWords();
  const [name, setName] = useState('');
  const [code, setCode] = useState('');
  const add = useAct('POST /auth/role/add');
  const go = async (): Promise<void> => {
    const id = await add.run({ roleName: name, ...(code !== '' && { roleCode: code }) });
    if (id !== null) added(id, name);
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
        wrong={wrongOf(add.failure, 'roleName')}
        autocomplete="off"
      />
      <TextField
        label={w.code}
        hint={w.codeHint}
        value={code}
        onChange={setCode}
        wrong={wrongOf(add.failure, 'roleCode')}
        autocomplete="off"
      />
    </FormDialog>
  );
}
