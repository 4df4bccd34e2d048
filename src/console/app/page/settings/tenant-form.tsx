import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { TextField } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { tenantsWords } from '../../word/tenants.ts';

type Given = {
  /** Null: a new one. */
  tenant: Schemas['Tenant'] | null;
  changed(): void;
  onClose(): void;
};

/** Adds a tenant, or changes the name and zone of one; its code is fixed. */
export function TenantForm({ tenant, changed, onClose }: Given) {
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
