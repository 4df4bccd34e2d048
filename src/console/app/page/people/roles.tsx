import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { may } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { List } from '../../part/control/list.tsx';
import { pageIn } from '../../part/control/pager.tsx';
import { Empty } from '../../part/loaded.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Link } from '../../route/link.tsx';
import { navigate } from '../../route/route.ts';
import { rolesWords } from '../../word/roles.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { NewRole } from './new-role.tsx';

const SIZE = 20;
export const BUILT_IN = '0';

/** `/settings/roles`: the roles of the tenant and the built-in ones. */
export function Roles() {
  const w = rolesWords();
  const asked = useAsk('POST /auth/role/list', { page: pageIn('page', SIZE) });
  const [isAdding, setAdding] = useState(false);
  return (
    <SettingsPage
      title={w.title}
      actions={
        may('svc-center-auth:role:add') && <Button onPress={() => setAdding(true)}>{w.add}</Button>
      }
    >
      <p class="quiet">{w.lead}</p>
      <List asked={asked} page="page" rows={4} none={<Empty title={w.none} />}>
        {(role) => (
          <li key={role.id}>
            <div class="row">
              <Link to={`/settings/roles/${role.id}`} class="strong">
                <bdi>{role.roleName}</bdi>
              </Link>
              {role.tenantId === BUILT_IN && <span class="quiet">{w.builtIn}</span>}
              {role.enableFlag === 'DISABLE' && <Chip tone="idle" shape="bar" word={w.disabled} />}
            </div>
          </li>
        )}
      </List>
      {isAdding && (
        <NewRole
          onClose={() => setAdding(false)}
          added={(id, name) => {
            announce(w.added(name));
            navigate(`/settings/roles/${id}`);
          }}
        />
      )}
    </SettingsPage>
  );
}
