import { useAct, useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { isOfPlatform, may, session } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty } from '../../part/control/loaded.tsx';
import { AskButton, Opener } from '../../part/control/opener.tsx';
import { Disabled } from '../../part/value/mark.tsx';
import { tenantsWords } from '../../word/settings.ts';
import { SettingsPage } from './frame.tsx';

const SIZE = 20;

/** `/settings/tenants`: the tenants of the platform, for its administrators. */
export function Tenants() {
  const w = tenantsWords();
  const isKept = isOfPlatform();
  const asked = useAsk('POST /auth/tenant/list', isKept ? { page: pageIn('page', SIZE) } : null);
  if (!isKept)
    return (
      <SettingsPage>
        <Empty title={w.others.title}>{w.others.text}</Empty>
      </SettingsPage>
    );
  return (
    <SettingsPage
      actions={
        may('svc-center-auth:tenant:add') && (
          <Opener word={w.add}>
            {(close) => <TenantForm tenant={null} changed={asked.again} onClose={close} />}
          </Opener>
        )
      }
    >
      <p class="quiet">{w.lead}</p>
      <List asked={asked} page="page" rows={3} none={<Empty title={w.none} />}>
        {(tenant) => <Row key={tenant.id} tenant={tenant} changed={asked.again} />}
      </List>
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
      {...(!tenant && { go: w.add })}
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
  const update = useAct('POST /auth/tenant/update');
  const isOn = tenant.enableFlag === 'ENABLE';
  const isHere = tenant.id === session.value?.tenant.tenantId;
  const { id, tenantName: name } = tenant;
  const word = isOn ? w.disable : w.enable;
  return (
    <li>
      <div class="row">
        <bdi class="strong">{name}</bdi>
        <bdi class="quiet">{tenant.tenantCode}</bdi>
        <span class="quiet">{tenant.timezone}</span>
        {isHere && <span class="quiet">({w.own})</span>}
        <Disabled of={tenant} />
        {may('svc-center-auth:tenant:update') && (
          <div class="actions">
            <Opener word={w.edit} label={`${w.edit} ${name}`}>
              {(close) => <TenantForm tenant={tenant} changed={changed} onClose={close} />}
            </Opener>
            {!isHere && (
              <AskButton
                word={word}
                kind={isOn ? 'danger' : 'plain'}
                label={`${word} ${name}`}
                title={isOn ? w.disableTitle(name) : w.enableTitle(name)}
                act={update}
                run={() => update.run({ id, enableFlag: isOn ? 'DISABLE' : 'ENABLE' })}
                done={() => {
                  announce(isOn ? w.isDisabled(name) : w.isEnabled(name));
                  changed();
                }}
              >
                <p>{isOn ? w.disableMeans : w.enableMeans}</p>
              </AskButton>
            )}
          </div>
        )}
      </div>
    </li>
  );
}
