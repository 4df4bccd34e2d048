import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { pageIn, Pager } from '../../part/control/pager.tsx';
import { Empty, Loaded } from '../../part/loaded.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { Link } from '../../route/link.tsx';
import { navigate, query } from '../../route/route.ts';
import { may } from '../../session/session.ts';
import { rolesWords } from '../../word/settings/roles.ts';
import { SettingsPage } from '../settings/frame.tsx';
import { NewRole } from './new-role.tsx';

const SIZE = 20;
export const BUILT_IN = '0';

/** `/settings/roles`: the roles of the tenant and the built-in ones. */
export function Roles() {
  const w = rolesWords();
  const current = pageIn(query.value, 'page');
  const asked = useAsk('POST /auth/role/list', { page: { current, size: SIZE } });
  const [isAdding, setAdding] = useState(false);
  return (
    <SettingsPage
      title={w.title}
      actions={
        may('svc-center-auth:role:add') && <Button onPress={() => setAdding(true)}>{w.add}</Button>
      }
    >
      <p class="quiet">{w.lead}</p>
      <Loaded asked={asked} rows={4}>
        {({ records, total }) => (
          <>
            {records.length === 0 && <Empty title={w.none} />}
            <ul class="list">
              {records.map((role) => (
                <li key={role.id}>
                  <div class="row">
                    <Link to={`/settings/roles/${role.id}`} class="strong">
                      <bdi>{role.roleName}</bdi>
                    </Link>
                    {role.tenantId === BUILT_IN && <span class="quiet">{w.builtIn}</span>}
                    {role.enableFlag === 'DISABLE' && (
                      <Chip tone="idle" shape="bar" word={w.disabled} />
                    )}
                  </div>
                </li>
              ))}
            </ul>
            <Pager name="page" current={current} size={SIZE} shown={records.length} total={total} />
          </>
        )}
      </Loaded>
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
