import { useState } from 'preact/hooks';

import { useAsk } from '../../client/ask.ts';
import type { InputOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';
import { may } from '../../client/session.ts';
import { useAgainOn, useWatch } from '../../client/use-live.ts';
import { Button } from '../../part/control/button.tsx';
import { Chunked } from '../../part/control/chunked.tsx';
import { Failed, Skeleton } from '../../part/control/loaded.tsx';
import { Link } from '../../part/link.tsx';
import { titleOf } from '../../part/pages.ts';
import { Chip, Disabled } from '../../part/value/mark.tsx';
import { deviceState, levelState } from '../../part/value/state.ts';
import { Ago } from '../../part/value/time.tsx';
import { bulkWords } from '../../word/bulk.ts';
import type { Filter } from './bulk-run.ts';
import { BulkActions, mayBulk } from './bulk.tsx';
import { ColumnValue } from './value-column.tsx';

/** Devices that are asked for at once. */
export const CHUNK = 50;
/** Height of a row, px; the style has the same. */
const ROW = 56;

/** Devices that were chosen by hand, by their id, or all of the list. */
type Picked = ReadonlyMap<string, Schemas['Device']> | 'all';
type FoundGiven = {
  filter: Filter;
  orderBy: InputOf<'POST /manager/device/list'>['orderBy'];
  total: number;
  /** Each row shows the last value of this point; null: rows show no value. */
  point: Schemas['Point'] | null;
  again(): void;
};

/** What the filter finds, and what is done with those that are chosen of it. */
export function Found({ filter, orderBy, total, point, again }: FoundGiven) {
  const w = bulkWords();
  const [picked, setPicked] = useState<Picked>(new Map());
  const [turn, setTurn] = useState(0);
  const firing = useFiring();
  const count = picked === 'all' ? total : picked.size;
  const pick = (device: Schemas['Device'], isOn: boolean): void => {
    const next = new Map(picked === 'all' ? [] : picked);
    if (isOn) next.set(device.id, device);
    else next.delete(device.id);
    setPicked(next);
  };
  return (
    <>
      {mayBulk() && (
        <div class="row bulk" role="group" aria-label={w.choose}>
          {count > 0 && (
            <>
              <span class="strong tabular" role="status">
                {w.chosen(count)}
              </span>
              <BulkActions
                which={picked === 'all' ? { filter, total } : { devices: [...picked.values()] }}
                done={() => {
                  setPicked(new Map());
                  setTurn(turn + 1);
                  again();
                }}
              />
            </>
          )}
          {picked !== 'all' && (
            <Button kind="quiet" onPress={() => setPicked('all')}>
              {w.all(total)}
            </Button>
          )}
          {count > 0 && (
            <Button kind="quiet" onPress={() => setPicked(new Map())}>
              {w.clear}
            </Button>
          )}
        </div>
      )}
      <Chunked
        key={turn}
        total={total}
        rowHeight={ROW}
        size={CHUNK}
        label={titleOf('/devices')}
        draw={(chunk) => (
          <Chunk
            chunk={chunk}
            filter={filter}
            orderBy={orderBy}
            point={point}
            firing={firing}
            picked={picked}
            pick={pick}
          />
        )}
      />
    </>
  );
}

const MARKED = 100;

/** Of devices with an alarm that fires: the most urgent one of each. */
function useFiring(): ReadonlyMap<string, Schemas['ListedAlarm']> {
  const asked = useAsk(
    'POST /data/dashboard/alert/search',
    may('svc-center-data:dashboard:list') ? { state: 'FIRING', limit: MARKED } : null,
  );
  useAgainOn(['alarm'], asked.again);
  const alarms = asked.data?.alarms ?? [];
  // The list begins with the most urgent ones.
  return new Map(alarms.toReversed().map((alarm) => [alarm.deviceId ?? '', alarm]));
}

type OfRows = Pick<FoundGiven, 'point'> & {
  firing: ReadonlyMap<string, Schemas['ListedAlarm']>;
  picked: Picked;
  pick(device: Schemas['Device'], isOn: boolean): void;
};
type ChunkGiven = OfRows & Pick<FoundGiven, 'filter' | 'orderBy'> & { chunk: number };

/** A chunk of the list with the status of its devices. */
function Chunk({ chunk, filter, orderBy, ...rest }: ChunkGiven) {
  const asked = { ...filter, orderBy, page: { current: chunk + 1, size: CHUNK } };
  const devices = useAsk('POST /manager/device/list', asked);
  const presences = useAsk(
    'POST /data/device/status/list_detail',
    may('svc-center-data:device_status:list') ? asked : null,
  );
  const ids = devices.data?.records.map(({ id }) => id) ?? [];
  useWatch(rest.point ? ids.map((id) => `${id}:${rest.point?.id}`) : [], ids);
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
        <Row
          key={device.id}
          device={device}
          presence={presences.data?.[device.id] ?? null}
          {...rest}
        />
      ))}
    </>
  );
}

type Given = OfRows & { device: Schemas['Device']; presence: Schemas['Presence'] | null };

function Row({ device, presence, point, firing, picked, pick }: Given) {
  const alarm = firing.get(device.id);
  return (
    <div class={point ? 'device valued' : 'device'} role="listitem">
      {mayBulk() && (
        <input
          type="checkbox"
          aria-label={bulkWords().chooseThis(device.deviceName)}
          checked={picked === 'all' || picked.has(device.id)}
          disabled={picked === 'all'}
          onChange={(event) => pick(device, event.currentTarget.checked)}
        />
      )}
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
      {alarm ? (
        <Link
          to={`/alarms/${alarm.alarmId}`}
          label={`${levelState(alarm.level).word}: ${alarm.ruleName ?? alarm.message}`}
        >
          <Chip {...levelState(alarm.level)} />
        </Link>
      ) : (
        <span />
      )}
      {point && <ColumnValue deviceId={device.id} point={point} />}
      <small class="quiet cut">
        {presence !== null && presence.status === 'offline' && <Ago at={presence.offlineSince} />}{' '}
        {presence?.statusReason}
      </small>
    </div>
  );
}
