import { useAsk } from '../../client/ask.ts';
import { navigate } from '../../client/route.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Link } from '../../part/link.tsx';
import { Disabled } from '../../part/value/mark.tsx';
import { rolesWords } from '../../word/roles.ts';
import { SettingsPage } from '../settings/frame.tsx';

const SIZE = 20;
export const BUILT_IN = '0';

/** `/settings/roles`: the roles of the tenant and the built-in ones. */
export function Roles() {
  const w = rolesWords();
  const asked = useAsk('POST /auth/role/list', { page: pageIn('page', SIZE) });
  return (
    <SettingsPage
      actions={
        may('svc-center-auth:role:add') && (
          <Opener word={w.add}>{(close) => <NewRole onClose={close} />}</Opener>
        )
      }
    >
      <p class="quiet">{w.lead}</p>
      <List
        asked={asked}
        page="page"
        rows={4}
        sorts={{ name: (role) => role.roleName, code: (role) => role.roleCode }}
        none={<Empty title={w.none} />}
      >
        {(role) => (
          <li key={role.id}>
            <div class="row">
              <Link to={`/settings/roles/${role.id}`} class="strong">
                <bdi>{role.roleName}</bdi>
              </Link>
              {role.tenantId === BUILT_IN && <span class="quiet">{w.builtIn}</span>}
              <Disabled of={role} word={w.disabled} />
            </div>
          </li>
        )}
      </List>
    </SettingsPage>
  );
}

/** Adds a role, which holds no right yet. */
function NewRole({ onClose }: { onClose(): void }) {
  const w = rolesWords();
  const form = useForm('POST /auth/role/add', {
    fields: { roleName: '', roleCode: '' },
    input: ({ roleName, roleCode }) => ({ roleName, ...(roleCode !== '' && { roleCode }) }),
    done(id, { roleName }) {
      announce(w.added(roleName));
      navigate(`/settings/roles/${id}`);
    },
  });
  return (
    <FormDialog title={w.add} go={w.add} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('roleName')} />
      <TextField label={w.code} hint={w.codeHint} {...form.of('roleCode')} />
    </FormDialog>
  );
}
