import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { announce } from '../../part/announce.tsx';
import { Choice } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/loaded.tsx';
import { waitingWords } from '../../word/waiting.ts';

type Given = { one: Schemas['WaitingEndpoint']; changed(): void; onClose(): void };

const SHOWN = 100;

/** Gives an endpoint to a tenant, which can then make it a device. */
export function Assign({ one, changed, onClose }: Given) {
  const w = waitingWords();
  const tenants = useAsk('POST /auth/tenant/list', {
    enableFlag: 'ENABLE',
    page: { current: 1, size: SHOWN },
  });
  const form = useForm('POST /manager/device/waiting/assign', {
    fields: { tenantId: one.tenantId },
    input: ({ tenantId }) => ({ id: one.id, tenantId }),
    done(_, { tenantId }) {
      const tenant = tenants.data?.records.find(({ id }) => id === tenantId);
      announce(w.given(one.endpoint, tenant?.tenantName ?? tenantId));
      changed();
      onClose();
    },
  });
  return (
    <FormDialog title={w.assignTitle(one.endpoint)} go={w.assign} {...form.sends} onClose={onClose}>
      <p>{w.assignMeans}</p>
      <Loaded asked={tenants} rows={1}>
        {({ records }) => (
          <Choice
            label={w.tenant}
            {...form.of('tenantId')}
            options={records.map(({ id, tenantName }) => [id, tenantName] as const)}
          />
        )}
      </Loaded>
    </FormDialog>
  );
}
