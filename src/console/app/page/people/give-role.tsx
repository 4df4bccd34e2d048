import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { Choice } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/loaded.tsx';
import { peopleWords } from '../../word/people.ts';
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
  const roles = useAsk('POST /auth/role/list', { page: { current: 1, size: MOST } });
  const free = (roles.data?.records ?? []).filter(({ id }) => !held.some((has) => has.id === id));
  const form = useForm('POST /auth/role_principal/add', {
    fields: { roleId: '' },
    needs: ['roleId'],
    input: ({ roleId }) => ({ roleId, principalId: person.principalId }),
    done(_, { roleId }) {
      announce(w.given(free.find(({ id }) => id === roleId)?.roleName ?? ''));
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
      <Loaded asked={roles} rows={1}>
        {() =>
          free.length === 0 ? (
            <p>{w.all}</p>
          ) : (
            <Choice
              label={peopleWords().role}
              hint={w.means}
              {...form.of('roleId')}
              options={[['', w.choose], ...free.map(({ id, roleName }) => [id, roleName] as const)]}
            />
          )
        }
      </Loaded>
    </FormDialog>
  );
}
