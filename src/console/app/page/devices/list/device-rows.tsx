import { useState } from 'preact/hooks';

import { useAsk } from '../../../client/ask.ts';
import type { InputOf } from '../../../client/call.ts';
import type { Schemas } from '../../../client/operations.ts';
import { may } from '../../../client/session.ts';
import { useAgainOn, useEvery, useWatch } from '../../../client/use-live.ts';
import { Button } from '../../../part/control/button.tsx';
import { Chunked } from '../../../part/control/chunked.tsx';
import { Failed, Skeleton } from '../../../part/control/loaded.tsx';
import { titleOf } from '../../../part/pages.ts';
import { bulkWords } from '../../../word/bulk.ts';
import { columnsWords } from '../../../word/columns.ts';
import type { Filter } from './bulk-run.ts';
import { BulkActions } from './bulk.tsx';
import { type Columns, heightOf, Titles } from './columns.tsx';
import { InSight, type Sight, useSight } from './in-sight.tsx';
import { mayBulk } from './may-bulk.ts';
import { type Known, Row } from './row.tsx';

/** Devices that are asked for at once. */
export const CHUNK = 50;

type Device = Schemas['Device'];
/** Devices that were chosen by hand, by their id, or all of the list. */
type Picked = ReadonlyMap<string, Device> | 'all';
type FoundGiven = {
  filter: Filter;
  orderBy: InputOf<'POST /manager/device/list'>['orderBy'];
  total: number;
  columns: Columns;
  again(): void;
};

/** What the filter finds, and what is done with those that are chosen of it. */
export function Found({ filter, orderBy, total, columns, again }: FoundGiven) {
  const w = bulkWords();
  const [picked, setPicked] = useState<Picked>(new Map());
  const [turn, setTurn] = useState(0);
  const sight = useSight();
  const { firing, isCut } = useFiring(columns.facts.includes('alarm'));
  const count = picked === 'all' ? total : picked.size;
  const pick = (device: Device, isOn: boolean): void => {
    const next = new Map(picked === 'all' ? [] : picked);
    if (isOn) next.set(device.id, device);
    else next.delete(device.id);
    setPicked(next);
  };
  const width = columns.facts.length + columns.points.length;
  const rowHeight = heightOf(columns);
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
      {isCut && <small class="quiet">{columnsWords().firing(MARKED)}</small>}
      <div style={{ '--columns': String(Math.max(1, width)), '--row': `${rowHeight}px` }}>
        <Titles columns={columns} />
        <Chunked
          key={turn}
          total={total}
          rowHeight={rowHeight}
          size={CHUNK}
          label={titleOf('/devices')}
          draw={(chunk) => (
            <Chunk
              chunk={chunk}
              filter={filter}
              orderBy={orderBy}
              columns={columns}
              firing={firing}
              sight={sight}
              picked={picked}
              pick={pick}
            />
          )}
        />
      </div>
      {columns.points.length > 0 && <InSight sight={sight} points={columns.points} />}
    </>
  );
}

const MARKED = 100;

type Firing = ReadonlyMap<string, Schemas['ListedAlarm']>;

/** Of devices with an alarm that fires: the most urgent one of each; whether more fire than are asked for. */
function useFiring(isShown: boolean): { firing: Firing; isCut: boolean } {
  const asked = useAsk(
    'POST /data/dashboard/alert/search',
    isShown ? { state: 'FIRING', limit: MARKED } : null,
  );
  useAgainOn(isShown ? ['alarm'] : [], asked.again);
  const alarms = asked.data?.alarms ?? [];
  return {
    // The list begins with the most urgent ones.
    firing: new Map(alarms.toReversed().map((alarm) => [alarm.deviceId ?? '', alarm])),
    isCut: (asked.data?.next ?? null) !== null,
  };
}

type ChunkGiven = Pick<FoundGiven, 'filter' | 'orderBy' | 'columns'> & {
  chunk: number;
  firing: Firing;
  sight: Sight;
  picked: Picked;
  pick(device: Device, isOn: boolean): void;
};

/** What was heard of an online device grows old without an event. */
const HEARD_MS = 30_000;

/** A chunk of the list with the status of its devices. */
function Chunk({ chunk, filter, orderBy, columns, firing, sight, picked, pick }: ChunkGiven) {
  const asked = { ...filter, orderBy, page: { current: chunk + 1, size: CHUNK } };
  const devices = useAsk('POST /manager/device/list', asked);
  const presences = useAsk(
    'POST /data/device/status/list_detail',
    may('svc-center-data:device_status:list') ? asked : null,
  );
  const records = devices.data?.records ?? [];
  const nameOf = useNames(columns, records);
  useWatch(
    [],
    records.map(({ id }) => id),
  );
  useAgainOn(['device'], presences.again);
  useEvery(HEARD_MS, () => {
    if (columns.facts.includes('heard')) presences.again();
  });
  useAgainOn(filter.situation ? ['device'] : [], devices.again);
  if (devices.data === null)
    return devices.failure ? (
      <Failed failure={devices.failure} again={devices.again} />
    ) : (
      <Skeleton rows={8} />
    );
  const known: Known = {
    presenceOf: ({ id }) => presences.data?.[id] ?? null,
    alarmOf: ({ id }) => firing.get(id),
    nameOf,
  };
  return (
    <>
      {records.map((device) => (
        <Row
          key={device.id}
          device={device}
          columns={columns}
          known={known}
          sight={sight}
          isPicked={picked === 'all' || picked.has(device.id)}
          pick={picked === 'all' ? null : (isOn) => pick(device, isOn)}
        />
      ))}
    </>
  );
}

/** The names of the groups, profiles and drivers of devices, where a column shows them. */
function useNames({ facts }: Columns, devices: readonly Device[]): Known['nameOf'] {
  const of = <T,>(column: Columns['facts'][number], input: T): T | null =>
    facts.includes(column) && devices.length > 0 ? input : null;
  const idsOf = (ids: readonly string[]): string[] => [...new Set(ids)].toSorted();
  const page = { current: 1, size: CHUNK };
  const profiles = useAsk(
    'POST /manager/profile/list_by_ids',
    of('profile', { ids: idsOf(devices.map(({ profileId }) => profileId)) }),
  );
  const drivers = useAsk(
    'POST /manager/driver/list_by_ids',
    of('driver', { ids: idsOf(devices.map(({ driverId }) => driverId)) }),
  );
  const binds = useAsk(
    'POST /manager/group_bind/list',
    of('group', {
      entityTypeFlag: 'DEVICE' as const,
      entityIds: devices.map(({ id }) => id),
      page,
    }),
  );
  const groupOf = new Map(
    (binds.data?.records ?? []).map(({ entityId, groupId }) => [entityId, groupId]),
  );
  const ids = idsOf([...groupOf.values()]);
  const groups = useAsk('POST /manager/group/list', ids.length > 0 ? { ids, page } : null);
  return (column, { id, profileId, driverId }) => {
    if (column === 'profile') return profiles.data?.[profileId]?.profileName ?? null;
    if (column === 'driver') return drivers.data?.[driverId]?.driverName ?? null;
    const group = groups.data?.records.find((each) => each.id === groupOf.get(id));
    return group?.groupName ?? null;
  };
}
