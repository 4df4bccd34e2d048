import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { navigate, query } from '../../client/route.ts';
import { isOfPlatform, may, session } from '../../client/session.ts';
import { useEvery } from '../../client/use-live.ts';
import { announce } from '../../part/announce.tsx';
import { FormDialog } from '../../part/control/dialog.tsx';
import { Choice, optionsOf, TextField } from '../../part/control/field.tsx';
import { useForm } from '../../part/control/form.ts';
import { List, pageIn } from '../../part/control/list.tsx';
import { Empty, Loaded } from '../../part/control/loaded.tsx';
import { Opener } from '../../part/control/opener.tsx';
import { Search } from '../../part/control/search.tsx';
import { Page } from '../../part/page.tsx';
import { Chip, type State } from '../../part/value/mark.tsx';
import { Ago } from '../../part/value/time.tsx';
import { waitingWords } from '../../word/waiting.ts';

const SIZE = 20;
const EVERY_MS = 10_000;

/** `/devices/waiting`: endpoints that were refused because no device has them. */
export function Waiting() {
  const w = waitingWords();
  const endpoint = query.value.get('endpoint') ?? '';
  const asked = useAsk('POST /manager/device/waiting/list', {
    page: pageIn('page', SIZE),
    ...(endpoint !== '' && { endpoint }),
  });
  useEvery(EVERY_MS, asked.again);
  return (
    <Page>
      <p class="quiet">
        {w.lead} {!isOfPlatform() && w.leadOthers}
      </p>
      <div class="row filters">
        <Search label={w.search} name="endpoint" page="page" />
      </div>
      <List asked={asked} page="page" rows={3} none={<Empty title={w.none}>{w.noneNext}</Empty>}>
        {(one) => <Row key={one.id} one={one} changed={asked.again} />}
      </List>
    </Page>
  );
}

type Endpoint = Schemas['WaitingEndpoint'];

/** An endpoint that waits: what is known of it, and what can be made of it. */
function Row({ one, changed }: { one: Endpoint; changed(): void }) {
  const w = waitingWords();
  const isHere = one.tenantId === session.value?.tenant.tenantId;
  const mayAdd = may('svc-center-manager:device:add');
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
            <Opener word={w.assign} label={`${w.assign}: ${one.endpoint}`}>
              {(close) => <Assign one={one} changed={changed} onClose={close} />}
            </Opener>
          )}
          {mayAdd && isHere && (
            <Opener word={w.claim} label={`${w.claim}: ${one.endpoint}`}>
              {(close) => <Claim one={one} changed={changed} onClose={close} />}
            </Opener>
          )}
        </div>
      </div>
    </li>
  );
}

function proofOf({ proven, assigned, deviceName }: Endpoint, isHere: boolean): State {
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

const MOST_DEVICES = 100;

/** Makes an endpoint that of the device whose key it proved, of a present device or of a new one. */
function Claim({ one, changed, onClose }: Given) {
  const w = waitingWords();
  const { id, endpoint, proven } = one;
  const drivers = useAsk(
    'POST /manager/driver/list',
    proven ? null : { driverCode: one.driverCode, page: { current: 1, size: 1 } },
  );
  const driverId = drivers.data?.records[0]?.id;
  const devices = useAsk(
    'POST /manager/device/list',
    driverId === undefined ? null : { driverId, page: { current: 1, size: MOST_DEVICES } },
  );
  const form = useForm('POST /manager/device/waiting/claim', {
    fields: { deviceId: '', deviceName: endpoint.replaceAll(/[^\w\-.]/g, '-').slice(0, 64) },
    input({ deviceId, deviceName }) {
      if (proven) return { id };
      if (deviceId !== '') return { id, deviceId };
      return deviceName === '' ? null : { id, deviceName };
    },
    done(made) {
      announce(w.claimed(endpoint));
      changed();
      onClose();
      navigate(`/devices/${made}`);
    },
  });
  return (
    <FormDialog title={w.claimTitle(endpoint)} go={w.go} {...form.sends} onClose={onClose}>
      <p>{proven ? w.claimProven(one.deviceName ?? '') : w.claimUnproven}</p>
      {!proven && (
        <Loaded asked={devices} rows={1}>
          {({ records }) => (
            <Choice
              label={w.device}
              {...form.of('deviceId')}
              options={optionsOf(['', w.fresh], records, 'deviceName')}
            />
          )}
        </Loaded>
      )}
      {!proven && form.values.deviceId === '' && (
        <TextField label={w.name} {...form.of('deviceName')} />
      )}
    </FormDialog>
  );
}
