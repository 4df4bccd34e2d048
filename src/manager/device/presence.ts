import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { IsoTime } from '../../entity/answer.ts';
import { rowOf } from '../../entity/row.ts';
import { heardUntil } from '../driver/listening.ts';
import { EntityType } from '../group/entity-type.ts';
import { type DeviceQuery, page as devicePage } from './device.ts';
import { EntityState, Status } from './status.ts';

/**
 * Connection facts of a device; its status (docs/specification/objects.md, Status of a device) does not
 * distinguish a device that never connected from one that failed.
 */
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

const UNKNOWN: Presence = {
  status: 'unknown',
  description: '',
  statusReason: 'no driver has spoken of it yet',
  neverConnected: true,
  offlineSince: null,
};
const MAX_LIST = 10_000;

/** Answers every given id; ids of another tenant are `unknown`, like ids that do not exist. */
async function presenceOf(
  q: Queries,
  tenantId: string,
  deviceIds: readonly string[],
  now: number,
): Promise<Map<string, Presence>> {
  const known = new Map(deviceIds.map((id) => [id, UNKNOWN]));
  if (deviceIds.length === 0) return known;
  const rows = await q
    .selectFrom('svc_entity_state')
    .select(['entityId', 'entityStateFlag', 'description'])
    .select((eb) => eb('expireTime', '<=', heardUntil(now)).as('isExpired'))
    .select(['lastHeartbeatTime', 'lastOnlineTime', 'offlineSince'])
    .where('tenantId', '=', tenantId)
    .where('entityTypeFlag', '=', EntityType.DEVICE)
    .where('entityId', 'in', [...deviceIds])
    .execute();
  for (const row of rows) {
    const isReported = row.entityStateFlag === EntityState.OFFLINE;
    if (!isReported && row.isExpired !== true) {
      const online = { statusReason: '', neverConnected: false, offlineSince: null };
      known.set(row.entityId, { status: 'online', description: row.description, ...online });
      continue;
    }
    const neverConnected = row.lastOnlineTime === null;
    // Reported offline by its driver, or its lease ended: the last heartbeat then is the last sign.
    const since = isReported ? row.offlineSince : row.lastHeartbeatTime;
    known.set(row.entityId, {
      status: 'offline',
      description: row.description,
      statusReason: neverConnected
        ? 'it never connected'
        : isReported
          ? row.description || 'its driver says that it is offline'
          : 'nothing was heard of it in time',
      neverConnected,
      offlineSince: neverConnected ? null : (since?.toISOString() ?? null),
    });
  }
  return known;
}

/** At most 10,000 devices. */
export const of: Operation<{ deviceIds: readonly string[] }, ReadonlyMap<string, Presence>> = (
  app,
  { tenantId },
  { deviceIds },
) =>
  inTenant(app.db, tenantId, (q) =>
    presenceOf(q, tenantId, deviceIds.slice(0, MAX_LIST), app.clock.now()),
  );

/** Presence by id of the devices on one page of the device list. */
export const devices: Operation<DeviceQuery, Record<string, Presence>> = async (
  app,
  caller,
  given,
) => {
  const { records } = await devicePage(app, caller, given);
  return Object.fromEntries(await of(app, caller, { deviceIds: records.map(({ id }) => id) }));
};

export const OfDevice = input({ deviceId: Id });
type OfDevice = z.infer<typeof OfDevice>;

/** Throws NotFound. */
export const byDevice: Operation<OfDevice, Presence> = (app, { tenantId }, { deviceId }) =>
  inTenant(app.db, tenantId, async (q) => {
    await rowOf(q, 'svc_device', tenantId, deviceId);
    const presences = await presenceOf(q, tenantId, [deviceId], app.clock.now());
    return presences.get(deviceId) ?? UNKNOWN;
  });
