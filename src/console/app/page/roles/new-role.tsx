import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { Button } from '../../part/control/button.tsx';
import { Dialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { RefusedNote } from '../../part/refused.tsx';
import { partWords } from '../../word/part.ts';
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
    <Dialog
      title={w.add}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{partWords().cancel}</Button>
          <Button
            kind="primary"
            isBusy={add.isRunning}
            isOff={name === ''}
            onPress={() => void go()}
          >
            {w.add}
          </Button>
        </>
      }
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
      <RefusedNote failure={add.failure} />
    </Dialog>
  );
}
