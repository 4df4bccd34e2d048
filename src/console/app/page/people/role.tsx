import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Facts } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import type { Parameters } from '../../route/route.ts';
import { rolesWords } from '../../word/roles.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { Holders } from './holders.tsx';
import { Remove } from './remove-role.tsx';
import { Rights } from './rights.tsx';
import { BUILT_IN } from './roles.tsx';

/** `/settings/roles/:id`: one role: its name, its rights, and those that have it. */
export function Role({ id = '' }: Parameters) {
  const w = rolesWords();
  const asked = useAsk('GET /auth/role/get_by_id', { id });
  const [asking, setAsking] = useState<'name' | 'delete' | null>(null);
  const role = asked.data;
  const isOwn = role !== null && role.tenantId !== BUILT_IN;
  const close = (): void => setAsking(null);
  return (
    <SettingsPage
      title={role?.roleName ?? w.title}
      state={
        <>
          {role && !isOwn && <span class="quiet">{w.builtIn}</span>}
          {role?.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
        </>
      }
      actions={
        isOwn && (
          <>
            {may('svc-center-auth:role:update') && (
              <Button onPress={() => setAsking('name')}>{w.rename}</Button>
            )}
            {may('svc-center-auth:role:delete') && (
              <Button kind="danger" onPress={() => setAsking('delete')}>
                {w.delete}
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded asked={asked} rows={6}>
        {(found) => (
          <>
            {!isOwn && <p class="quiet">{w.fixed}</p>}
            <Facts of={[[w.code, <bdi key="code">{found.roleCode}</bdi>]]} />
            <Holders roleId={id} />
            <Rights key={id} roleId={id} isOwn={isOwn} />
            {asking === 'name' && <Rename role={found} changed={asked.again} onClose={close} />}
            {asking === 'delete' && <Remove role={found} onClose={close} />}
          </>
        )}
      </Loaded>
    </SettingsPage>
  );
}

type Given = { role: Schemas['Role']; changed(): void; onClose(): void };

/** Gives a role another name; its code stays. */
function Rename({ role: { id, roleName }, changed, onClose }: Given) {
  const w = rolesWords();
  const form = useForm('POST /auth/role/update', {
    fields: { roleName },
    needs: ['roleName'],
    input: (given) => (given.roleName === roleName ? null : { id, ...given }),
    done() {
      announce(w.renamed);
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.rename} go={w.rename} {...form.sends} onClose={onClose}>
      <TextField label={w.name} {...form.of('roleName')} />
    </FormDialog>
  );
}
