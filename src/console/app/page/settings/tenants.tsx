import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import { isOfPlatform, may } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { List } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { pageIn } from '../../part/control/pager.tsx';
import { tenantsWords } from '../../word/tenants.ts';
import { SettingsPage } from './frame.tsx';
import { TenantForm } from './tenant-form.tsx';
import { Row } from './tenant-row.tsx';

const SIZE = 20;

/** `/settings/tenants`: the tenants of the platform, for its administrators. */
export function Tenants() {
  const w = tenantsWords();
  const isKept = isOfPlatform();
  const asked = useAsk('POST /auth/tenant/list', isKept ? { page: pageIn('page', SIZE) } : null);
  const [isAdding, setAdding] = useState(false);
  if (!isKept)
    return (
      <SettingsPage title={w.title}>
        <Empty title={w.others.title}>{w.others.text}</Empty>
      </SettingsPage>
    );
  return (
    <SettingsPage
      title={w.title}
      actions={
        may('svc-center-auth:tenant:add') && (
          <Button onPress={() => setAdding(true)}>{w.add}</Button>
        )
      }
    >
      <p class="quiet">{w.lead}</p>
      <List asked={asked} page="page" rows={3} none={<Empty title={w.none} />}>
        {(tenant) => <Row key={tenant.id} tenant={tenant} changed={asked.again} />}
      </List>
      {isAdding && (
        <TenantForm tenant={null} changed={asked.again} onClose={() => setAdding(false)} />
      )}
    </SettingsPage>
  );
}
