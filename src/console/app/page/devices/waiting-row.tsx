import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { isOfPlatform, may, session } from '../../client/session.ts';
import { announce } from '../../part/announce.tsx';
import { Button } from '../../part/control/button.tsx';
import { Choice } from '../../part/control/field.tsx';
import { FormDialog } from '../../part/control/form-dialog.tsx';
import { useForm } from '../../part/control/form.ts';
import { Loaded } from '../../part/control/loaded.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { waitingWords } from '../../word/waiting.ts';
import { Claim } from './claim.tsx';

type Waiting = Schemas['WaitingEndpoint'];

/** An endpoint that waits: what is known of it, and what can be made of it. */
export function Row({ one, changed }: { one: Waiting; changed(): void }) {
  const w = waitingWords();
  const [asking, setAsking] = useState<'claim' | 'assign' | null>(null);
  const isHere = one.tenantId === session.value?.tenant.tenantId;
  const mayAdd = may('svc-center-manager:device:add');
  const close = (): void => setAsking(null);
  return (
    <li>
      <div class="row">
        <bdi class="strong">{one.endpoint}</bdi>
        <Chip {...proofOf(one, isHere)} />
        <span class="quiet">
          {w.from} <bdi>{one.host}</bdi>
        </span>
        <span class="quiet">
          {w.tries(one.attempts)} <Ago at={one.lastTime} />
        </span>
        <div class="actions">
          {mayAdd && isOfPlatform() && !one.proven && (
            <Button onPress={() => setAsking('assign')} label={`${w.assign}: ${one.endpoint}`}>
              {w.assign}
            </Button>
          )}
          {mayAdd && isHere && (
            <Button onPress={() => setAsking('claim')} label={`${w.claim}: ${one.endpoint}`}>
              {w.claim}
            </Button>
          )}
        </div>
      </div>
      {asking === 'claim' && <Claim one={one} changed={changed} onClose={close} />}
      {asking === 'assign' && <Assign one={one} changed={changed} onClose={close} />}
    </li>
  );
}

function proofOf({ proven, assigned, deviceName }: Waiting, isHere: boolean): State {
  const w = waitingWords();
  if (proven)
    return isHere
      ? { tone: 'good', shape: 'check', word: w.proven(deviceName ?? '') }
      : { tone: 'idle', shape: 'ring', word: w.provenElsewhere };
  if (assigned)
    return { tone: 'info', shape: 'ring', word: isHere ? w.assigned : w.assignedElsewhere };
  return { tone: 'warning', shape: 'diamond', word: w.unproven };
}

type Given = { one: Schemas['WaitingEndpoint']; changed(): void; onClose(): void };

const SHOWN = 100;

/** Gives an endpoint to a tenant, which can then make it a device. */
function Assign({ one, changed, onClose }: Given) {
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
