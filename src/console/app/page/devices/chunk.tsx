import { useAsk } from '../../client/ask.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { useAgainOn, useWatch } from '../../client/use-live.ts';
import { Failed, Skeleton } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { Chip, Disabled } from '../../part/value/mark.tsx';
import { deviceState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';

/** How the connection of a device is, as the list is asked for it. */
export const SITUATIONS = ['online', 'offline', 'never connected', 'unknown'] as const;
export type Filter = {
  deviceName?: string;
  groupId?: string;
  labelId?: string;
  situation?: (typeof SITUATIONS)[number];
};

/** Devices that are asked for at once. */
export const CHUNK = 50;
/** Height of a row, px; the style has the same. */
export const ROW = 56;

/** A chunk of the list with the status of its devices. */
export function Chunk({ chunk, filter }: { chunk: number; filter: Filter }) {
  const asked = { ...filter, page: { current: chunk + 1, size: CHUNK } };
  const devices = useAsk('POST /manager/device/list', asked);
  const presences = useAsk(
    'POST /data/device/status/list_detail',
    may('svc-center-data:device_status:list') ? asked : null,
  );
  useWatch([], devices.data?.records.map(({ id }) => id) ?? []);
  useAgainOn(['device'], presences.again);
  useAgainOn(filter.situation ? ['device'] : [], devices.again);
  if (devices.data === null)
    return devices.failure ? (
      <Failed failure={devices.failure} again={devices.again} />
    ) : (
      <Skeleton rows={8} />
    );
  return (
    <>
      {devices.data.records.map((device) => (
        <Row key={device.id} device={device} presence={presences.data?.[device.id] ?? null} />
      ))}
    </>
  );
}

type Given = { device: Schemas['Device']; presence: Schemas['Presence'] | null };

function Row({ device, presence }: Given) {
  return (
    <div class="device" role="listitem">
      <div class="cut">
        <Link to={`/devices/${device.id}`}>
          <bdi class="strong">{device.deviceName}</bdi>
        </Link>
        <small class="quiet cut">
          <bdi>{device.remark || device.deviceCode}</bdi>
        </small>
      </div>
      {device.enableFlag === 'DISABLE' ? (
        <Disabled of={device} />
      ) : (
        presence && <Chip {...deviceState(presence.status)} />
      )}
      <small class="quiet cut">
        {presence !== null && presence.status === 'offline' && <Ago at={presence.offlineSince} />}{' '}
        {presence?.statusReason}
      </small>
    </div>
  );
}
