import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { liveValue } from '../../../client/live.ts';
import type { Schemas } from '../../../client/operations.ts';
import { Link } from '../../../part/link.tsx';
import { Amount } from '../../../part/value/amount.tsx';
import { Chip, Disabled } from '../../../part/value/mark.tsx';
import { deviceState, levelState } from '../../../part/value/state.ts';
import { Ago } from '../../../part/value/time.tsx';
import { ValueChip } from '../../../part/value/value-chip.tsx';
import { bulkWords } from '../../../word/bulk.ts';
import { columnsWords } from '../../../word/columns.ts';
import type { Column, Columns } from './columns.tsx';
import { DayLine } from './day-line.tsx';
import type { Sight } from './in-sight.tsx';
import { mayBulk } from './may-bulk.ts';

type Device = Schemas['Device'];

/** What is known of the devices of a chunk beside themselves. */
export type Known = {
  presenceOf(device: Device): Schemas['DevicePresence'] | null;
  /** The name of its group, profile or driver; null while it is not known, or there is none. */
  nameOf(column: 'group' | 'profile' | 'driver', device: Device): string | null;
  /** The most urgent alarm that fires. */
  alarmOf(device: Device): Schemas['ListedAlarm'] | undefined;
};

type Given = {
  device: Device;
  columns: Columns;
  known: Known;
  sight: Sight;
  isPicked: boolean;
  /** Null where all are. */
  pick: ((isOn: boolean) => void) | null;
};

/** A device with the chosen columns. */
export function Row({ device, columns: { facts, points }, known, sight, isPicked, pick }: Given) {
  const w = columnsWords();
  const row = useRef<HTMLDivElement>(null);
  const isWatched = points.length > 0;
  useEffect(
    () => (row.current && isWatched ? sight.look(row.current, device.id) : undefined),
    [device.id, isWatched],
  );
  const presence = known.presenceOf(device);
  const hasRemark = device.remark !== '' && !facts.includes('remark');
  return (
    <div ref={row} class="device" role="listitem">
      {mayBulk() && (
        <input
          type="checkbox"
          aria-label={bulkWords().chooseThis(device.deviceName)}
          checked={isPicked}
          disabled={pick === null}
          onChange={(event) => pick?.(event.currentTarget.checked)}
        />
      )}
      <div class="cut">
        <Link to={`/devices/${device.id}`}>
          <bdi class="strong">{device.deviceName}</bdi>
        </Link>
        <small class="quiet cut">
          <bdi>{hasRemark ? device.remark : device.deviceCode}</bdi>
        </small>
      </div>
      <span class="status">
        {device.enableFlag === 'DISABLE' ? (
          <Disabled of={device} />
        ) : (
          presence && <Chip {...deviceState(presence.status)} />
        )}
      </span>
      {facts.map((column) => (
        <Cell key={column} title={w.of[column]} name={column}>
          {factOf(column, device, known)}
        </Cell>
      ))}
      {points.map((point) => (
        <Value key={point.id} deviceId={device.id} point={point} sight={sight} />
      ))}
    </div>
  );
}

type CellGiven = { title: string; name: string; children: ComponentChildren };

/** What a column has of a device, below its title where the rows are narrow; empty where it has nothing. */
const Cell = ({ title, name, children }: CellGiven) => (
  <span class={`cell ${name}`}>
    {children && (
      <>
        <span class="cell-name">{title} </span>
        <span class="cut">{children}</span>
      </>
    )}
  </span>
);

function factOf(column: Column, device: Device, known: Known): ComponentChildren {
  const presence = known.presenceOf(device);
  if (column === 'alarm') return markOf(known.alarmOf(device));
  if (column === 'remark') return <bdi>{device.remark}</bdi>;
  if (column === 'added') return <Ago at={device.createTime} />;
  if (column === 'heard') return presence && <Ago at={presence.lastHeard} />;
  if (column === 'away') return presence && reasonOf(presence);
  const name = known.nameOf(column, device);
  return name !== null && <bdi>{name}</bdi>;
}

const markOf = (alarm: Schemas['ListedAlarm'] | undefined): ComponentChildren =>
  alarm && (
    <Link
      to={`/alarms/${alarm.alarmId}`}
      label={`${levelState(alarm.level).word}: ${alarm.ruleName ?? alarm.message}`}
    >
      <Chip {...levelState(alarm.level)} />
    </Link>
  );

const reasonOf = ({
  status,
  offlineSince,
  statusReason,
}: Schemas['DevicePresence']): ComponentChildren =>
  statusReason !== '' && (
    <small class="quiet">
      {status === 'offline' && <Ago at={offlineSince} />} {statusReason}
    </small>
  );

type ValueGiven = { deviceId: string; point: Schemas['Point']; sight: Sight };

/** The last value of a point as it comes, with its age and its last day. */
function Value({ deviceId, point, sight }: ValueGiven) {
  const live = liveValue(deviceId, point.id).value;
  const day = sight.dayOf(deviceId, point.id).value;
  return (
    <span class="cell value">
      <bdi class="cell-name">{point.pointName} </bdi>
      <span class="cut">
        {live === null ? (
          <span class="quiet">…</span>
        ) : (
          <Amount
            value={live.hasLatestValue ? live.calValue : null}
            unit={point.unit}
            class="strong"
          />
        )}{' '}
        {live?.hasLatestValue && <ValueChip value={live} />}{' '}
        {live?.createTime && (
          <small class="quiet">
            <Ago at={live.createTime} />
          </small>
        )}
      </span>
      {day && <DayLine day={day} />}
    </span>
  );
}
