import type { App } from '../../app.ts';
import type { Payload } from '../../bus/topics.ts';
import { nameOf } from '../../core/input/flag.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { EntityType } from '../group/entity-type.ts';
import { ValueType } from '../profile/value-type.ts';
import { keepUnsent } from './unsent.ts';
import { keepSentVersion, nextVersion, versionOfRemoval } from './update-version.ts';

type DeviceMessage = Extract<Payload<'svc.e.metadata'>, { kind: 'device' }>;
export type Which = { deviceId: string } | { profileId: string } | { driverId: string };

export const RwFlag = { READ_ONLY: 0, WRITE_ONLY: 1, READ_WRITE: 2 } as const;

const BATCH = 100;

/** Up to 100 devices after `afterId` as their driver gets them: configs by code, defaults filled in. */
async function deviceMessages(
  q: Queries,
  tenantId: string,
  which: Which,
  afterId: string,
): Promise<DeviceMessage[]> {
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
  const devices = await select.execute();
  if (devices.length === 0) return [];
  const facts = await factsOf(q, tenantId, devices);
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
      configs: {
        ...facts.driverDefaults.get(device.driverId),
        ...facts.deviceConfigs.get(device.id),
      },
      claim: facts.claims.get(device.id) ?? null,
      points: (facts.points.get(device.profileId) ?? []).map((point) => ({
        ...point,
        configs: {
          ...facts.pointDefaults.get(device.driverId),
          ...facts.pointConfigs.get(`${device.id}:${point.id}`),
        },
      })),
      commands: (facts.commands.get(device.profileId) ?? []).map(({ id, commandCode }) => ({
        id,
        code: commandCode,
        configs: {
          ...facts.commandDefaults.get(device.driverId),
          ...facts.commandConfigs.get(`${device.id}:${id}`),
        },
      })),
    },
  }));
}

type Known = { id: string; driverId: string; profileId: string };

async function factsOf(q: Queries, tenantId: string, devices: readonly Known[]) {
  const deviceIds = devices.map(({ id }) => id);
  const driverIds = [...new Set(devices.map(({ driverId }) => driverId))];
  const profileIds = [...new Set(devices.map(({ profileId }) => profileId))];
  const points = await q
    .selectFrom('svc_point')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('profileId', 'in', profileIds)
    .where('enableFlag', '=', 0)
    .orderBy('id')
    .execute();
  const driverAttributes = await q
    .selectFrom('svc_driver_attribute')
    .select(['driverId', 'attributeCode', 'defaultValue'])
    .where('tenantId', '=', tenantId)
    .where('driverId', 'in', driverIds)
    .execute();
  const pointAttributes = await q
    .selectFrom('svc_point_attribute')
    .select(['driverId', 'attributeCode', 'defaultValue'])
    .where('tenantId', '=', tenantId)
    .where('driverId', 'in', driverIds)
    .execute();
  const commandFacts = await commandFactsOf(q, tenantId, { deviceIds, driverIds, profileIds });
  const deviceConfigs = await q
    .selectFrom('svc_driver_attribute_config as c')
    .innerJoin('svc_driver_attribute as a', (join) =>
      join.onRef('a.tenantId', '=', 'c.tenantId').onRef('a.id', '=', 'c.attributeId'),
    )
    .select(['c.deviceId', 'c.configValue', 'a.attributeCode'])
    .where('c.tenantId', '=', tenantId)
    .where('c.deviceId', 'in', deviceIds)
    .where('c.enableFlag', '=', 0)
    .execute();
  // A disabled config is not sent, nor is its claim.
  const claims = await q
    .selectFrom('svc_endpoint_claim as k')
    .innerJoin('svc_driver_attribute_config as c', (join) =>
      join.onRef('c.tenantId', '=', 'k.tenantId').onRef('c.id', '=', 'k.configId'),
    )
    .select(['k.id', 'k.deviceId', 'k.endpoint', 'k.acknowledgedChange as acknowledged'])
    .where('k.tenantId', '=', tenantId)
    .where('k.deviceId', 'in', deviceIds)
    .where('c.enableFlag', '=', 0)
    .execute();
  const pointConfigs = await q
    .selectFrom('svc_point_attribute_config as c')
    .innerJoin('svc_point_attribute as a', (join) =>
      join.onRef('a.tenantId', '=', 'c.tenantId').onRef('a.id', '=', 'c.attributeId'),
    )
    .select(['c.deviceId', 'c.pointId', 'c.configValue', 'a.attributeCode'])
    .where('c.tenantId', '=', tenantId)
    .where('c.deviceId', 'in', deviceIds)
    .where('c.enableFlag', '=', 0)
    .execute();
  return {
    ...commandFacts,
    claims: new Map(
      claims.map(({ id, deviceId, ...claim }) => [deviceId, { number: id, ...claim }] as const),
    ),
    points: Map.groupBy(
      points.map((point) => ({
        profileId: point.profileId,
        id: point.id,
        name: point.pointName,
        code: point.pointCode,
        type: nameOf(ValueType, point.pointTypeFlag),
        rw: nameOf(RwFlag, point.rwFlag),
        base: point.baseValue,
        multiple: point.multiple,
        decimals: point.valueDecimal,
        unit: point.unit,
      })),
      ({ profileId }) => profileId,
    ),
    driverDefaults: byCode(
      driverAttributes,
      (row) => row.driverId,
      (row) => row.defaultValue,
    ),
    pointDefaults: byCode(
      pointAttributes,
      (row) => row.driverId,
      (row) => row.defaultValue,
    ),
    deviceConfigs: byCode(
      deviceConfigs,
      (row) => row.deviceId,
      (row) => row.configValue,
    ),
    pointConfigs: byCode(
      pointConfigs,
      (row) => `${row.deviceId}:${row.pointId}`,
      (row) => row.configValue,
    ),
  };
}

async function commandFactsOf(
  q: Queries,
  tenantId: string,
  ids: Record<'deviceIds' | 'driverIds' | 'profileIds', string[]>,
) {
  const commands = await q
    .selectFrom('svc_command')
    .select(['id', 'commandCode', 'profileId'])
    .where('tenantId', '=', tenantId)
    .where('profileId', 'in', ids.profileIds)
    .where('enableFlag', '=', 0)
    .orderBy('id')
    .execute();
  const attributes = await q
    .selectFrom('svc_command_attribute')
    .select(['driverId', 'attributeCode', 'defaultValue'])
    .where('tenantId', '=', tenantId)
    .where('driverId', 'in', ids.driverIds)
    .execute();
  const configs = await q
    .selectFrom('svc_command_attribute_config as c')
    .innerJoin('svc_command_attribute as a', (join) =>
      join.onRef('a.tenantId', '=', 'c.tenantId').onRef('a.id', '=', 'c.attributeId'),
    )
    .select(['c.deviceId', 'c.commandId', 'c.configValue', 'a.attributeCode'])
    .where('c.tenantId', '=', tenantId)
    .where('c.deviceId', 'in', ids.deviceIds)
    .where('c.enableFlag', '=', 0)
    .execute();
  return {
    commands: Map.groupBy(commands, ({ profileId }) => profileId),
    commandDefaults: byCode(
      attributes,
      (row) => row.driverId,
      (row) => row.defaultValue,
    ),
    commandConfigs: byCode(
      configs,
      (row) => `${row.deviceId}:${row.commandId}`,
      (row) => row.configValue,
    ),
  };
}

/** Values by attribute code for each owner. */
function byCode<R extends { attributeCode: string }>(
  rows: readonly R[],
  ownerOf: (row: R) => string,
  valueOf: (row: R) => string,
): Map<string, Record<string, string>> {
  const owners = new Map<string, Record<string, string>>();
  for (const row of rows) {
    const values = owners.get(ownerOf(row)) ?? {};
    values[row.attributeCode] = valueOf(row);
    owners.set(ownerOf(row), values);
  }
  return owners;
}

/** Sends devices to their drivers after a commit; answers how many. Throws when the bus fails. */
export async function sendDevices(app: App, tenantId: string, which: Which): Promise<number> {
  let sent = 0;
  for (let afterId = '0'; ;) {
    const from = afterId;
    const messages = await inTenant(app.db, tenantId, async (q) => {
      // Taken before the read: a message with a later version was read later.
      const version = await nextVersion(q);
      const found = await deviceMessages(q, tenantId, which, from);
      const deviceIds = found.map(({ device }) => device.id);
      await keepSentVersion(q, { tenantId, deviceIds, version });
      return found.map((one) => ({ ...one, version }));
    });
    for (const message of messages)
      await app.bus.publish('svc.e.metadata', message, { key: message.driverCode });
    sent += messages.length;
    const last = messages.at(-1);
    if (!last || messages.length < BATCH) return sent;
    afterId = last.device.id;
  }
}

/** Sends devices after a committed change; what the bus does not take is sent again (`resend`). */
export async function tellDrivers(app: App, tenantId: string, which: Which): Promise<void> {
  try {
    await sendDevices(app, tenantId, which);
  } catch (error) {
    app.log.warn({ tenantId, which, error }, 'device update not sent to drivers, retrying');
    keepUnsent(app, tenantId, which);
  }
}

/** Sends the removal of a device from a driver: it was deleted, or moved and not moved back meanwhile. */
export async function tellRemoved(
  app: App,
  { tenantId, deviceId, driverCode }: { tenantId: string; deviceId: string; driverCode: string },
): Promise<void> {
  try {
    const version = await inTenant(app.db, tenantId, (q) =>
      versionOfRemoval(q, tenantId, deviceId, driverCode),
    );
    if (version === null) return;
    const message = { kind: 'removed', driverCode, tenantId, deviceId, version } as const;
    await app.bus.publish('svc.e.metadata', message, { key: driverCode });
  } catch (error) {
    app.log.warn({ tenantId, deviceId, error }, 'device removal not sent to its driver, retrying');
    keepUnsent(app, tenantId, { removed: deviceId, driverCode });
  }
}
