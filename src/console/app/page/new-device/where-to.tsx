import { useAsk } from '../../client/ask.ts';
import { Copy } from '../../part/control/copy.tsx';
import { Skeleton } from '../../part/control/loaded.tsx';
import { Facts, Section } from '../../part/page.tsx';
import { newDeviceWords } from '../../word/new-device.ts';
import { takenBy, useDeviceAttributes, useDriver } from './facts.ts';

const LWM2M = 'Lwm2mDriver';

/** What a device that registers by itself has to be pointed at; the driver calls the others. */
export function WhereTo({ deviceId, driverId }: { deviceId: string; driverId: string }) {
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
