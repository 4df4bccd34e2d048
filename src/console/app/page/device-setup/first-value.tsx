import { useAsk } from '../../client/ask.ts';
import { liveValue } from '../../client/live.ts';
import type { Schemas } from '../../client/operations.ts';
import { useAgainOn, useEvery, useWatch } from '../../client/use-live.ts';
import { Copy } from '../../part/control/copy.tsx';
import { Empty, Loaded, Skeleton } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Facts, Page, Section } from '../../part/page.tsx';
import { titleOf } from '../../part/pages.ts';
import { RegisteredObjects } from '../../part/registered.tsx';
import { Amount } from '../../part/value/amount.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { deviceState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { ValueChip } from '../../part/value/value-chip.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { takenBy, useDeviceAttributes, useDriver } from './facts.ts';

type Latest = Schemas['LatestValue'];

const EVERY_MS = 3_000;
const SHOWN = 50;

/** After the last step: the first value as it comes, or why there is none yet. */
export function FirstValue({ deviceId }: { deviceId: string }) {
  const w = newDeviceWords();
  const device = useAsk('GET /manager/device/get_by_id', { id: deviceId });
  const presence = useAsk('GET /data/device/status/get_by_device_id', { deviceId });
  const values = useAsk('POST /data/point_value/latest', {
    deviceId,
    page: { current: 1, size: SHOWN },
  });
  useAgainOn(['device'], presence.again);
  useEvery(EVERY_MS, presence.again);
  const { data } = values;
  useWatch(data?.records.map(({ pointId }) => `${deviceId}:${pointId}`) ?? [], [deviceId]);
  const hasValue = data?.records.some((latest) => liveOf(latest).hasLatestValue) ?? false;
  return (
    <Page
      title={device.data?.deviceName ?? titleOf('/devices/new')}
      state={presence.data && <Chip {...deviceState(presence.data.status)} />}
      actions={<Link to="/devices/new">{w.another}</Link>}
    >
      <Loaded asked={device}>
        {({ driverId }) => (
          <>
            <Section title={hasValue ? w.first.there : w.first.waits}>
              <div aria-live="polite" class="stack">
                <p>{hasValue ? w.first.thereText : w.first.waitsText}</p>
                {!hasValue && presence.data && (
                  <Why presence={presence.data} values={data?.records ?? []} />
                )}
              </div>
              <Loaded asked={values}>
                {({ records }) =>
                  records.length === 0 ? <Empty title={w.points.none} /> : <Values of={records} />
                }
              </Loaded>
              <Link to={`/devices/${deviceId}`}>{w.first.toDevice}</Link>
            </Section>
            <RegisteredObjects deviceId={deviceId} made={values.again} />
            {!hasValue && presence.data?.status !== 'online' && (
              <WhereTo deviceId={deviceId} driverId={driverId} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

const liveOf = (latest: Latest) => liveValue(latest.deviceId, latest.pointId).value ?? latest;

/** The reason in the words of the server, and what comes next where the device is there. */
function Why({
  presence,
  values,
}: {
  presence: Schemas['DevicePresence'];
  values: readonly Latest[];
}) {
  const w = newDeviceWords().first;
  const [next] = values;
  if (presence.status === 'online')
    return <p class="quiet">{w.reads(next?.expectedIntervalS ?? 0)}</p>;
  const { statusReason, description } = presence;
  return (
    <>
      <p>
        {w.why} <span lang="en">{statusReason}</span>
      </p>
      {description !== '' && description !== statusReason && (
        <p>
          {w.report} <bdi lang="en">{description}</bdi>
        </p>
      )}
    </>
  );
}

const Values = ({ of }: { of: readonly Latest[] }) => (
  <ul class="list">
    {of.map((latest) => {
      const live = liveOf(latest);
      return (
        <li key={latest.pointId}>
          <div class="row">
            <bdi>{latest.pointName}</bdi>
            {live.hasLatestValue && (
              <Amount value={live.calValue} unit={latest.unit} class="strong" />
            )}
            {live.createTime !== null && <Ago at={live.createTime} />}
            <ValueChip value={live} />
          </div>
          {live.valueIssue !== null && (
            <small class="quiet" lang="en">
              {live.valueIssue}
            </small>
          )}
        </li>
      );
    })}
  </ul>
);

const LWM2M = 'Lwm2mDriver';

/** What a device that registers by itself has to be pointed at; the driver calls the others. */
function WhereTo({ deviceId, driverId }: { deviceId: string; driverId: string }) {
  const w = newDeviceWords().whereTo;
  const driver = useDriver(driverId);
  const attributes = useDeviceAttributes(driverId);
  const configs = useAsk('GET /manager/driver_attribute_config/list_by_device_id', { deviceId });
  if (driver.data === null || attributes.data === null || configs.data === null)
    return <Skeleton rows={4} />;
  if (driver.data.driverCode !== LWM2M) return null;
  const valueOf = (code: string): string =>
    configs.data?.find(({ attributeCode }) => attributeCode === code)?.configValue ??
    attributes.data?.find(({ attributeCode }) => attributeCode === code)?.defaultValue ??
    '';
  const endpoint = valueOf('endpoint');
  const security = valueOf('securityMode').trim().toUpperCase();
  const isSecure = security === 'PSK';
  const portCode = isSecure ? 'securePort' : 'serverPort';
  const listening = attributes.data.find(({ attributeCode }) => attributeCode === portCode);
  const known = listening ? takenBy(listening) : null;
  const port = known ?? valueOf(portCode);
  const identity = valueOf('pskIdentity') || endpoint;
  const host = location.hostname;
  if (endpoint === '')
    return (
      <Section title={w.title}>
        <p>{w.noEndpoint}</p>
      </Section>
    );
  return (
    <Section title={w.title}>
      <Facts
        of={[
          [w.address, <bdi>{`${isSecure ? 'coaps' : 'coap'}://${host}:${port}`}</bdi>],
          [w.port, port],
          [w.endpoint, <bdi>{endpoint}</bdi>],
          [w.security, <bdi>{security}</bdi>],
          ...(isSecure ? [[w.identity, <bdi>{identity}</bdi>] as const] : []),
        ]}
      />
      {isSecure && <p>{w.encrypted}</p>}
      {security === 'NOSEC' && <p>{w.inClear}</p>}
      {!isSecure && security !== 'NOSEC' && <p>{w.unknownMode}</p>}
      {known === null && <p class="quiet">{w.portHint}</p>}
      <p>{w.simulator}</p>
      <Copy
        text={commandOf({
          endpoint,
          server: `${host}:${port}`,
          identity: isSecure ? identity : null,
        })}
        label={w.simulatorLabel}
      />
      {isSecure && <p class="quiet">{w.keyHint}</p>}
    </Section>
  );
}

/** Quoted for a shell where the name is not plain. */
const quoted = (text: string): string =>
  /^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

type Simulated = { endpoint: string; server: string; identity: string | null };

/** The simulated device, started in the folder of the platform; a key is not shown again, so it is left open. */
function commandOf({ endpoint, server, identity }: Simulated): string {
  const where = server === '127.0.0.1:5683' ? '' : ` --server ${quoted(server)}`;
  const psk = identity === null ? '' : ` --psk-identity ${quoted(identity)} --psk-key KEY`;
  return `npm run device -- --endpoint ${quoted(endpoint)}${where}${psk}`;
}
