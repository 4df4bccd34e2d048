import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { onIndexedPage } from '../../db/query-page.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { IsoTime } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import type { Page } from '../../kernel/input/page.ts';
import { type DeviceQuery, devicesIn } from '../device/device.ts';
import { deviceStatusOf, EntityState, stateOf, statesOf, Status } from '../device/state.ts';
import { EntityType } from '../entity/entity-type.ts';
import type { OfDevice } from '../entity/of.ts';

/** Connection facts of a device (docs/specification/objects.md, Status of a device). */
export const Presence = z
  .object({
    status: Status,
    description: z.string().describe('What its driver reported, partly written by the device'),
    statusReason: z
      .string()
      .meta({ description: 'Why it is not online', examples: ['nothing was heard of it in time'] }),
    neverConnected: z.boolean().describe('True while no driver has reported it online'),
    offlineSince: IsoTime.nullable().describe('null while online and when it never connected'),
  })
  .meta({ id: 'Presence' });
export type Presence = z.output<typeof Presence>;

/** The same of one device, with when it was last spoken of. */
export const DevicePresence = Presence.extend({
  lastHeard: IsoTime.nullable().describe(
    'When its driver last said how it is; null when it never did',
  ),
}).meta({ id: 'DevicePresence' });
type DevicePresence = z.output<typeof DevicePresence>;

const UNKNOWN: Presence = {
  status: 'unknown',
  description: '',
  statusReason: 'no driver has spoken of it yet',
  neverConnected: true,
  offlineSince: null,
};

type State = NonNullable<Awaited<ReturnType<typeof stateOf>>>;

/** Of a state as it is joined: its columns are null where nothing was reported. */
export function presenceOf(
  state: { [Column in keyof State]: State[Column] | null } | undefined,
): Presence {
  if (state === undefined || state.entityStateFlag === null) return UNKNOWN;
  const status = deviceStatusOf(state);
  const description = state.description ?? '';
  const known = {
    status,
    description,
    statusReason: '',
    neverConnected: false,
    offlineSince: null,
  };
  if (status === 'online') return known;
  if (status === 'unknown')
    return { ...known, statusReason: 'it never connected', neverConnected: true };
  const isReported = state.entityStateFlag === EntityState.OFFLINE;
  // Reported offline by its driver, or its lease ended: the last heartbeat then is the last sign.
  const since = isReported ? state.offlineSince : state.lastHeartbeatTime;
  return {
    ...known,
    statusReason: isReported
      ? description || 'its driver says that it is offline'
      : 'nothing was heard of it in time',
    offlineSince: since?.toISOString() ?? null,
  };
}

const heardOf = (state: Parameters<typeof presenceOf>[0]): DevicePresence => ({
  ...presenceOf(state),
  lastHeard: state?.lastHeartbeatTime?.toISOString() ?? null,
});

/**
 * Devices, each with what was reported of it and the names of its driver and profile; only of those of the page,
 * however long the list is.
 */
export const withStates = (
  q: Queries,
  tenantId: string,
  { listed, page, now }: { listed: ReturnType<typeof devicesIn>; page: Page; now: number },
) =>
  q
    .selectFrom(onIndexedPage(listed, page).as('device'))
    .leftJoin(
      statesOf(q, tenantId, EntityType.DEVICE, now).as('state'),
      'state.entityId',
      'device.id',
    )
    .leftJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'device.tenantId').onRef('v.id', '=', 'device.driverId'),
    )
    .leftJoin('svc_profile as p', (join) =>
      join.onRef('p.tenantId', '=', 'device.tenantId').onRef('p.id', '=', 'device.profileId'),
    )
    .selectAll(['device', 'state'])
    .select(['v.driverName', 'p.profileName'])
    .orderBy('device.createTime', 'desc')
    .orderBy('device.id', 'desc')
    .execute();

/** Presence of the devices that exist, with their names; `now` in ms since the epoch. */
export async function presencesOf(
  q: Queries,
  tenantId: string,
  deviceIds: readonly string[],
  now: number,
): Promise<(Presence & { deviceId: string; deviceName: string })[]> {
  const rows = await q
    .selectFrom('svc_device')
    .leftJoin(
      statesOf(q, tenantId, EntityType.DEVICE, now).as('state'),
      'state.entityId',
      'svc_device.id',
    )
    .select(['svc_device.id', 'svc_device.deviceName'])
    .selectAll('state')
    .where('svc_device.tenantId', '=', tenantId)
    .where((eb) => eb('svc_device.id', '=', eb.fn.any(eb.val([...deviceIds]))))
    .execute();
  return rows.map((row) => ({
    deviceId: row.id,
    deviceName: row.deviceName,
    ...presenceOf(row),
  }));
}

/** Presence by id of the devices on one page of the device list. */
export const devices: Operation<DeviceQuery, Record<string, DevicePresence>> = (
  app,
  { tenantId },
  given,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const listed = devicesIn(q, tenantId, given, now);
    const rows = await withStates(q, tenantId, { listed, page: given.page, now });
    return Object.fromEntries(rows.map((row) => [row.id, heardOf(row)]));
  });

/** Throws NotFound. */
export const byDevice: Operation<OfDevice, DevicePresence> = (app, { tenantId }, { deviceId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const [, state] = await Promise.all([
      rowOf(q, 'svc_device', tenantId, deviceId),
      stateOf(q, tenantId, EntityType.DEVICE, deviceId, app.clock.now()),
    ]);
    return heardOf(state);
  });
