import type { Schemas } from '../../client/operations.ts';
import { Empty } from '../../part/control/loaded.tsx';
import { Section } from '../../part/page.tsx';
import { Chip } from '../../part/value/mark.tsx';
import { deviceState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { Link } from '../../route/link.tsx';
import { overviewWords } from '../../word/overview.ts';

type Given = Pick<Schemas['Handover'], 'outages' | 'silentPoints'>;

/** Devices that do not answer, and points without values. */
export function Unavailable({ outages, silentPoints }: Given) {
  const w = overviewWords();
  if (outages === null) return null;
  const { offline, neverConnected, devices, back } = outages;
  const rest = [
    neverConnected > 0 && w.away.neverConnected(neverConnected),
    silentPoints !== null && silentPoints > 0 && w.away.silent(silentPoints),
    back.length > 0 && w.away.back(back.length),
  ].filter((text) => text !== false);
  return (
    <Section
      title={w.away.title(offline)}
      actions={<Link to={offline > 0 ? '/devices?situation=offline' : '/devices'}>{w.all}</Link>}
    >
      {devices.length === 0 && <Empty title={w.away.none} />}
      <ul class="list">
        {devices.map(({ deviceId, deviceName, since }) => (
          <li key={deviceId}>
            <div class="row">
              <Chip {...deviceState(since === null ? 'unknown' : 'offline')} />
              <span class="quiet">{since === null ? w.away.never : <Ago at={since} />}</span>
            </div>
            <Link to={`/devices/${deviceId}`}>
              <bdi class="strong">{deviceName}</bdi>
            </Link>
          </li>
        ))}
      </ul>
      {rest.length > 0 && <p class="quiet">{rest.join(' · ')}</p>}
    </Section>
  );
}
