import { useState } from 'preact/hooks';

import type { Schemas } from '../../client/operations.ts';
import { isOfPlatform, may, session } from '../../client/session.ts';
import { Button } from '../../part/control/button.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { waitingWords } from '../../word/waiting.ts';
import { Assign } from './assign.tsx';
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
