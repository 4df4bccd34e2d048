import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { may, session } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { AskFirst } from '../../part/control/ask-first.tsx';
import { Button } from '../../part/control/button.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { tenantsWords } from '../../word/tenants.ts';
import { TenantForm } from './tenant-form.tsx';

type Given = { tenant: Schemas['Tenant']; changed(): void };

/** One tenant: its name and zone, disabled and enabled. */
export function Row({ tenant, changed }: Given) {
  const w = tenantsWords();
  const [asking, setAsking] = useState<'edit' | 'turn' | null>(null);
  const update = useAct('POST /auth/tenant/update');
  const isOn = tenant.enableFlag === 'ENABLE';
  const isHere = tenant.id === session.value?.tenant.tenantId;
  const { id, tenantName: name } = tenant;
  const close = (): void => setAsking(null);
  const turn = async (): Promise<void> => {
    if ((await update.run({ id, enableFlag: isOn ? 'DISABLE' : 'ENABLE' })) === null) return;
    announce(isOn ? w.isDisabled(name) : w.isEnabled(name));
    close();
    changed();
  };
  return (
    <li>
      <div class="row">
        <bdi class="strong">{name}</bdi>
        <bdi class="quiet">{tenant.tenantCode}</bdi>
        <span class="quiet">{tenant.timezone}</span>
        {isHere && <span class="quiet">({w.own})</span>}
        {!isOn && <Chip tone="idle" shape="bar" word={w.disabled} />}
        {may('svc-center-auth:tenant:update') && (
          <div class="actions">
            <Button onPress={() => setAsking('edit')} label={`${w.edit} ${name}`}>
              {w.edit}
            </Button>
            {!isHere && (
              <Button
                kind={isOn ? 'danger' : 'plain'}
                onPress={() => setAsking('turn')}
                label={`${isOn ? w.disable : w.enable} ${name}`}
              >
                {isOn ? w.disable : w.enable}
              </Button>
            )}
          </div>
        )}
      </div>
      {asking === 'edit' && <TenantForm tenant={tenant} changed={changed} onClose={close} />}
      {asking === 'turn' && (
        <AskFirst
          title={isOn ? w.disableTitle(name) : w.enableTitle(name)}
          go={isOn ? w.disable : w.enable}
          isRunning={update.isRunning}
          failure={update.failure}
          onGo={() => void turn()}
          onClose={close}
        >
          <p>{isOn ? w.disableMeans : w.enableMeans}</p>
        </AskFirst>
      )}
    </li>
  );
}
