import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { rolesWords } from '../../word/settings/roles.ts';

type Given = { role: Schemas['Role']; changed(): void; onClose(): void };

/** Gives a role another name; its code stays. */
export function Rename({ role, changed, onClose }: Given) {
  const w = rolesWords();
  const [name, setName] = useState(role.roleName);
  const update = useAct('POST /auth/role/update');
  const go = async (): Promise<void> => {
    // It answers nothing, which is no refusal.
    if ((await update.run({ id: role.id, roleName: name })) === null) return;
    announce(w.renamed);
    changed();
    onClose();
  };
  return (
    <FormDialog
      title={w.rename}
      go={w.rename}
      isRunning={update.isRunning}
      isOff={name === '' || name === role.roleName}
      failure={update.failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(update.failure, 'roleName')}
        autocomplete="off"
      />
    </FormDialog>
  );
}
