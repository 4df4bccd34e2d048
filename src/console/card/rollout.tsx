import { Facts } from '../app/part/page.tsx';
import { sizeOf } from '../app/part/value/amount.tsx';
import { Chip } from '../app/part/value/mark.tsx';
import { deviceState } from '../app/part/value/state.ts';
import { firmwareCardWords } from '../app/word/firmware-card.ts';
import { firmwareSentence, leftOutReason } from '../sentence.ts';
import type { Action } from './action.ts';
import { cardWords } from './card-words.ts';
import { drawn, NoteLine } from './notes.tsx';
import { PageLink } from './page-link.tsx';

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
                  <PageLink to={`/devices/${one.deviceId}`}>
                    <bdi>{one.deviceName}</bdi>
                  </PageLink>
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
        <PageLink to={`/devices/${deviceId}`}>
          <bdi class="strong">{deviceName}</bdi>
        </PageLink>
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
              <PageLink to={`/devices/${deviceId}`}>
                <bdi>{deviceName}</bdi>
              </PageLink>{' '}
              <bdi lang="en">{message}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p>
        <PageLink to="/firmware">{w.look}</PageLink>
      </p>
    </>
  );
}
