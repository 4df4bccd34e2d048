import { firmwareSentence, leftOutReason } from '../../../card/firmware.ts';
import { Link } from '../../route/link.tsx';
import { cardWords } from '../../word/proposal/card.ts';
import { firmwareCardWords } from '../../word/proposal/firmware.ts';
import { Facts } from '../page.tsx';
import { Chip } from '../value/mark.tsx';
import { sizeOf } from '../value/size.ts';
import { deviceState } from '../value/state.ts';
import type { Action } from './action.ts';
import { drawn, NoteLine } from './notes.tsx';

export type Firmware = NonNullable<Action['firmware']>;

/** What would be installed where: the package with its bytes or address, and each device with its identity. */
export function FirmwareCard({ firmware }: { firmware: Firmware }) {
  const w = firmwareCardWords();
  const texts = cardWords();
  const { devices, leftOut, notes, packageUri, sha256 } = firmware;
  const chosen = firmware.byGroup ?? firmware.byLabel;
  return (
    <>
      <section class="panel">
        <h2>{w.title(devices.length)}</h2>
        <Facts
          of={[
            [
              w.package,
              <span>
                <bdi class="strong">{firmware.packageName}</bdi>{' '}
                <bdi class="strong">{firmware.packageVersion}</bdi> · {sizeOf(firmware.size)}
              </span>,
            ],
            [w.model, firmware.packageModel !== '' && <bdi>{firmware.packageModel}</bdi>],
            [w.bytes, sha256 === null ? w.bytesUnknown : <code class="whole">{sha256}</code>],
            [w.uri, packageUri !== '' && <code class="whole">{packageUri}</code>],
            [
              w.chosen,
              chosen !== null && (
                <span>
                  {firmware.byGroup === null ? w.label : w.group} <bdi>{chosen}</bdi>
                </span>
              ),
            ],
            [w.waves, w.wave(firmware.waveSize, firmware.failurePercent)],
            [w.time, w.minutes(firmware.minutes)],
          ]}
        />
        {notes.length > 0 && (
          <ul class="stack">
            {notes.map(({ code, devices: count }) => (
              <NoteLine key={code} tone="warning" shape="diamond">
                {firmwareSentence({ code, devices: count }, firmware, texts, drawn)}
              </NoteLine>
            ))}
          </ul>
        )}
      </section>
      <section class="panel">
        <h2>{w.devices}</h2>
        <ol class="list">
          {devices.map((device) => (
            <Device key={device.deviceId} device={device} />
          ))}
        </ol>
        {leftOut.length > 0 && (
          <>
            <h3>{w.leftOut(leftOut.length)}</h3>
            <ul class="list">
              {leftOut.map((one) => (
                <li key={one.deviceId}>
                  <Link to={`/devices/${one.deviceId}`}>
                    <bdi>{one.deviceName}</bdi>
                  </Link>
                  : {leftOutReason(one, firmware, texts, drawn)}
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </>
  );
}

function Device({ device }: { device: Firmware['devices'][number] }) {
  const w = firmwareCardWords();
  const { deviceId, deviceName, deviceStatus, endpoint, security, keyIdentity } = device;
  return (
    <li>
      <div class="row">
        <Link to={`/devices/${deviceId}`}>
          <bdi class="strong">{deviceName}</bdi>
        </Link>
        <Chip {...deviceState(deviceStatus)} />
        <span>
          {w.runs} <bdi>{device.versionNow ?? w.notKnown}</bdi>
          {device.model !== null && (
            <>
              {' · '}
              <bdi>{device.model}</bdi>
            </>
          )}
        </span>
      </div>
      <small class="quiet">
        {w.endpoint} <bdi>{endpoint === '' ? w.notKnown : endpoint}</bdi> · {w.security[security]}{' '}
        {security === 'PSK' && <bdi>{keyIdentity}</bdi>}
      </small>
    </li>
  );
}

const COUNTS = [
  'waiting',
  'underWay',
  'verified',
  'failed',
  'mismatch',
  'unknown',
  'cancelled',
] as const;

/** What became of the devices of a confirmed roll-out. */
export function RolloutCounts({ firmware: { receipt } }: { firmware: Firmware }) {
  const w = firmwareCardWords();
  if (receipt === null) return null;
  return (
    <>
      <Facts
        of={COUNTS.map((name) => [
          w.counts[name],
          receipt.counts[name] > 0 && receipt.counts[name],
        ])}
      />
      {receipt.troubled.length > 0 && (
        <ul class="list">
          {receipt.troubled.map(({ deviceId, deviceName, message }) => (
            <li key={deviceId}>
              <Link to={`/devices/${deviceId}`}>
                <bdi>{deviceName}</bdi>
              </Link>{' '}
              <bdi lang="en">{message}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p>
        <Link to="/firmware">{w.look}</Link>
      </p>
    </>
  );
}
