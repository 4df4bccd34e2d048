import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { Choice } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { Loaded } from '../../part/loaded.tsx';
import { peopleWords } from '../../word/settings/people.ts';
import type { User } from './user.ts';

const MOST = 100;

type Given = {
  person: User;
  held: readonly Schemas['Role'][];
  changed(): void;
  onClose(): void;
};

/** Gives a person a role that the person does not have. */
export function GiveRole({ person, held, changed, onClose }: Given) {
  const w = peopleWords().roles;
  const [roleId, setRole] = useState('');
  const roles = useAsk('POST /auth/role/list', { page: { current: 1, size: MOST } });
  const bind = useAct('POST /auth/role_principal/add');
  const free = (roles.data?.records ?? []).filter(({ id }) => !held.some((has) => has.id === id));
  const go = async (): Promise<void> => {
    if ((await bind.run({ roleId, principalId: person.principalId })) === null) return;
    announce(w.given(free.find(({ id }) => id === roleId)?.roleName ?? ''));
    changed();
    onClose();
  };
  return (
    <FormDialog
      title={w.add}
      go={w.add}
      isRunning={bind.isRunning}
      isOff={roleId === ''}
      failure={bind.failure}
      onGo={() => void go()}
      onClose={onClose}
    >
      <Loaded asked={roles} rows={1}>
        {() =>
          free.length === 0 ? (
            <p>{w.all}</p>
          ) : (
            <Choice
              label={peopleWords().role}
              hint={w.means}
              value={roleId}
              onChange={setRole}
              options={[['', w.choose], ...free.map(({ id, roleName }) => [id, roleName] as const)]}
            />
          )
        }
      </Loaded>
    </FormDialog>
  );
}
