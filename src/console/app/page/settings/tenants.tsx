import { useState } from 'preact/hooks';

import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { isOfPlatform, may, session } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { AskFirst, FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { tenantsWords } from '../../word/settings.ts';
import { SettingsPage } from './frame.tsx';

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

type FormGiven = {
  /** Null: a new one. */
  tenant: Schemas['Tenant'] | null;
  changed(): void;
  onClose(): void;
};

/** Adds a tenant, or changes the name and zone of one; its code is fixed. */
function TenantForm({ tenant, changed, onClose }: FormGiven) {
  const w = tenantsWords();
  const form = useForm(tenant ? 'POST /auth/tenant/update' : 'POST /auth/tenant/add', {
    fields: {
      tenantName: tenant?.tenantName ?? '',
      tenantCode: tenant?.tenantCode ?? '',
      timezone: tenant?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    needs: ['tenantName', 'tenantCode', 'timezone'],
    input: ({ tenantCode, ...given }) => ({
      ...given,
      ...(tenant ? { id: tenant.id } : { tenantCode }),
    }),
    done(_, { tenantName }) {
      announce(tenant ? w.saved(tenantName) : w.added(tenantName));
      changed();
      onClose();
    },
  });
  return (
    <FormDialog
      title={tenant ? `${w.edit} ${tenant.tenantName}` : w.add}
      go={tenant ? w.save : w.add}
      {...form.sends}
      onClose={onClose}
    >
      {!tenant && <p>{w.addMeans}</p>}
      <TextField label={w.name} {...form.of('tenantName')} />
      {!tenant && <TextField label={w.code} hint={w.codeHint} {...form.of('tenantCode')} />}
      <TextField label={w.zone} hint={w.zoneHint} {...form.of('timezone')} />
    </FormDialog>
  );
}

type Given = { tenant: Schemas['Tenant']; changed(): void };

/** One tenant: its name and zone, disabled and enabled. */
function Row({ tenant, changed }: Given) {
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
