import { useState } from 'preact/hooks';

import { useAct } from '../../client/act.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { wrongOf } from '../../part/loaded.tsx';
import { tenantsWords } from '../../word/settings/tenants.ts';

type Given = {
  /** Null: a new one. */
  tenant: Schemas['Tenant'] | null;
  changed(): void;
  onClose(): void;
};

/** Adds a tenant, or changes the name and zone of one; its code is fixed. */
export function TenantForm({ tenant, changed, onClose }: Given) {
  const w = tenantsWords();
  const [name, setName] = useState(tenant?.tenantName ?? '');
  const [code, setCode] = useState('');
  const [zone, setZone] = useState(
    tenant?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const add = useAct('POST /auth/tenant/add');
  const update = useAct('POST /auth/tenant/update');
  const failure = add.failure ?? update.failure;
  const save = async (): Promise<void> => {
    const given = { tenantName: name, timezone: zone };
    const done = tenant
      ? await update.run({ id: tenant.id, ...given })
      : await add.run({ tenantCode: code, ...given });
    if (done === null) return;
    announce(tenant ? w.saved(name) : w.added(name));
    changed();
    onClose();
  };
  return (
    <FormDialog
      title={tenant ? `${w.edit} ${tenant.tenantName}` : w.add}
      go={tenant ? w.save : w.add}
      isRunning={add.isRunning || update.isRunning}
      isOff={name === '' || zone === '' || (!tenant && code === '')}
      failure={failure}
      onGo={() => void save()}
      onClose={onClose}
    >
      {!tenant && <p>{w.addMeans}</p>}
      <TextField
        label={w.name}
        value={name}
        onChange={setName}
        wrong={wrongOf(failure, 'tenantName')}
        autocomplete="off"
      />
      {!tenant && (
        <TextField
          label={w.code}
          hint={w.codeHint}
          value={code}
          onChange={setCode}
          wrong={wrongOf(failure, 'tenantCode')}
          autocomplete="off"
        />
      )}
      <TextField
        label={w.zone}
        hint={w.zoneHint}
        value={zone}
        onChange={setZone}
        wrong={wrongOf(failure, 'timezone')}
        autocomplete="off"
      />
    </FormDialog>
  );
}
