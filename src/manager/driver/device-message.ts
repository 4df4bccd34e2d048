import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { settingsFor } from '../entity/device-settings.ts';
import { EntityType } from '../entity/entity-type.ts';
import {
  type AttributeKind,
  EventLevel,
  EventType,
  RwFlag,
  ValueType,
} from '../entity/value-type.ts';

type DeviceMessage = Extract<Payload<'svc.e.metadata'>, { kind: 'device' }>;
type Device = DeviceMessage['device'];
/** The devices that a change concerns. */
export type Which = { deviceId: string } | { profileId: string } | { driverId: string };

export const BATCH = 100;

/** Up to 100 devices after `afterId` as their driver gets them: configs by code, defaults filled in. */
export async function deviceMessages(
  q: Queries,
  app: Pick<App, 'keys' | 'log'>,
  tenantId: string,
  which: Which,
  afterId: string,
): Promise<DeviceMessage[]> {
  const devices = await devicesAfter(q, tenantId, which, afterId);
  if (devices.length === 0) return [];
  const profileIds = [...new Set(devices.map(({ profileId }) => profileId))];
  const ids = devices.map(({ id }) => id);
  const settings = (kind: AttributeKind) => settingsFor(q, app, tenantId, kind, devices);
  const [points, commands, events, claims] = await Promise.all([
    pointsOf(q, tenantId, profileIds),
    commandsOf(q, tenantId, profileIds),
    eventsOf(q, tenantId, profileIds),
    claimsOf(q, tenantId, ids),
  ]);
  const [deviceSettings, pointSettings, commandSettings, eventSettings] = await Promise.all([
    settings('driver'),
    settings('point'),
    settings('command'),
    settings('event'),
  ]);
  return devices.map((device) => ({
    kind: 'device',
    driverCode: device.driverCode,
    tenantId,
    driverId: device.driverId,
    node: device.node ?? '',
    device: {
      id: device.id,
      name: device.deviceName,
      enabled: Boolean(device.deviceEnabled && device.driverEnabled && device.profileEnabled),
      configs: deviceSettings(device),
      claim: claims.get(device.id) ?? null,
      points: (points.get(device.profileId) ?? []).map((point) => ({
        ...point,
        configs: pointSettings(device, point.id),
      })),
      commands: (commands.get(device.profileId) ?? []).map(({ id, commandCode }) => ({
        id,
        code: commandCode,
        configs: commandSettings(device, id),
      })),
      events: (events.get(device.profileId) ?? []).map(({ profileId: _profileId, ...event }) => ({
        ...event,
        configs: eventSettings(device, event.id),
      })),
    },
  }));
}

function devicesAfter(q: Queries, tenantId: string, which: Which, afterId: string) {
  let select = q
    .selectFrom('svc_device as d')
    .innerJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .innerJoin('svc_profile as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.id', '=', 'd.profileId'),
    )
    .leftJoin('svc_entity_state as s', (join) =>
      join
        .onRef('s.tenantId', '=', 'd.tenantId')
        .onRef('s.entityId', '=', 'd.id')
        .on('s.entityTypeFlag', '=', EntityType.DEVICE),
    )
    .select(['d.id', 'd.deviceName', 'd.driverId', 'd.profileId', 'v.driverCode', 's.node'])
    .select((eb) => eb('d.enableFlag', '=', 0).as('deviceEnabled'))
    .select((eb) => eb('v.enableFlag', '=', 0).as('driverEnabled'))
    .select((eb) => eb('p.enableFlag', '=', 0).as('profileEnabled'))
    .where('d.tenantId', '=', tenantId)
    .where('d.id', '>', afterId)
    .orderBy('d.id')
    .limit(BATCH);
  if ('deviceId' in which) select = select.where('d.id', '=', which.deviceId);
  if ('profileId' in which) select = select.where('d.profileId', '=', which.profileId);
  if ('driverId' in which) select = select.where('d.driverId', '=', which.driverId);
  return select.execute();
}

/** Enabled points by profile, in the order they were added. */
async function pointsOf(q: Queries, tenantId: string, profileIds: readonly string[]) {
  const rows = await q
    .selectFrom('svc_point')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('profileId', 'in', [...profileIds])
    .where('enableFlag', '=', 0)
    .orderBy('id')
    .execute();
  return Map.groupBy(
    rows.map((row) => ({
      profileId: row.profileId,
      id: row.id,
      name: row.pointName,
      code: row.pointCode,
      type: nameOf(ValueType, row.pointTypeFlag),
      rw: nameOf(RwFlag, row.rwFlag),
      base: row.baseValue,
      multiple: row.multiple,
      decimals: row.valueDecimal,
      unit: row.unit,
    })),
    ({ profileId }) => profileId,
  );
}

/** Enabled commands by profile, in the order they were added. */
async function commandsOf(q: Queries, tenantId: string, profileIds: readonly string[]) {
  const rows = await q
    .selectFrom('svc_command')
    .select(['id', 'commandCode', 'profileId'])
    .where('tenantId', '=', tenantId)
    .where('profileId', 'in', [...profileIds])
    .where('enableFlag', '=', 0)
    .orderBy('id')
    .execute();
  return Map.groupBy(rows, ({ profileId }) => profileId);
}

/** Enabled events by profile, in the order they were added. */
async function eventsOf(q: Queries, tenantId: string, profileIds: readonly string[]) {
  const rows = await q
    .selectFrom('svc_event')
    .select(['id', 'eventCode', 'profileId', 'eventTypeFlag', 'eventLevelFlag'])
    .where('tenantId', '=', tenantId)
    .where('profileId', 'in', [...profileIds])
    .where('enableFlag', '=', 0)
    .orderBy('id')
    .execute();
  return Map.groupBy(
    rows.map((row) => ({
      profileId: row.profileId,
      id: row.id,
      code: row.eventCode,
      type: nameOf(EventType, row.eventTypeFlag),
      level: nameOf(EventLevel, row.eventLevelFlag),
    })),
    ({ profileId }) => profileId,
  );
}

/** The claimed name of each device; a disabled config is not sent, nor is its claim. */
async function claimsOf(q: Queries, tenantId: string, deviceIds: readonly string[]) {
  const rows = await q
    .selectFrom('svc_endpoint_claim as k')
    .innerJoin('svc_driver_attribute_config as c', (join) =>
      join.onRef('c.tenantId', '=', 'k.tenantId').onRef('c.id', '=', 'k.configId'),
    )
    .select(['k.id as number', 'k.deviceId', 'k.endpoint', 'k.acknowledgedChange as acknowledged'])
    .select('k.proven')
    .where('k.tenantId', '=', tenantId)
    .where('k.deviceId', 'in', [...deviceIds])
    .where('c.enableFlag', '=', 0)
    .execute();
  return new Map<string, Device['claim']>(
    rows.map(({ deviceId, ...claim }) => [deviceId, claim] as const),
  );
}
