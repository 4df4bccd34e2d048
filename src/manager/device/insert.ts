import type { Queries } from '../../db/connect.ts';
import { created } from '../../db/stamp.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Conflict } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import type { Attribute } from '../driver/attribute.ts';
import { type Claim, isIdentity, refusedClaims, takenText } from '../driver/endpoint-claim.ts';
import { storedValue } from '../entity/secret-value.ts';
import type { Planned } from './table.ts';

/** Configs per insert statement; a row of a wide table has more. */
const MAX_INSERTED = 1_000;

/** Adds checked devices with their configs and claims; answers their ids by name. Throws Conflict with the row. */
export async function insertDevices(
  app: App,
  q: Queries,
  caller: Caller,
  { driverId, profileId }: { driverId: string; profileId: string },
  devices: readonly Planned[],
): Promise<Map<string, string>> {
  const { tenantId } = caller;
  const stamp = created(app, caller);
  const rows = await q
    .insertInto('svc_device')
    .values(
      devices.map(({ deviceName, deviceCode, remark, enableFlag = EnableFlag.ENABLE }) => ({
        deviceName,
        deviceCode,
        remark,
        enableFlag,
        driverId,
        profileId,
        tenantId,
        ...stamp,
      })),
    )
    .returning(['id', 'deviceName'])
    .execute();
  const ids = new Map(rows.map(({ id, deviceName }) => [deviceName, id]));
  const configs = devices.flatMap((device) =>
    device.configs.map(({ attribute, point, configValue }) => {
      const at = {
        tenantId,
        deviceId: ids.get(device.deviceName) ?? '',
        attributeId: attribute.id,
      };
      const place = { kind: point ? 'point' : 'driver', ...at, partId: point?.id } as const;
      const kept = storedValue(app, place, attribute.attributeExt, configValue);
      const config = { ...at, configValue: kept, ...stamp };
      return { row: device.row, attribute, point, config };
    }),
  );
  const ofPoint = configs.flatMap(({ point, config }) =>
    point ? { ...config, pointId: point.id } : [],
  );
  for (let at = 0; at < ofPoint.length; at += MAX_INSERTED)
    await q
      .insertInto('svc_point_attribute_config')
      .values(ofPoint.slice(at, at + MAX_INSERTED))
      .execute();
  const ofDevice = configs.filter(({ point }) => !point);
  if (ofDevice.length > 0) {
    const written = await q
      .insertInto('svc_driver_attribute_config')
      .values(ofDevice.map(({ config }) => config))
      .returning(['id', 'deviceId', 'attributeId'])
      .execute();
    const configIds = new Map(written.map((one) => [`${one.deviceId}:${one.attributeId}`, one.id]));
    const claims = ofDevice.flatMap(({ row, attribute, config }) => {
      const { deviceId, configValue: endpoint } = config;
      const configId = configIds.get(`${deviceId}:${attribute.id}`) ?? '';
      return isIdentity(attribute)
        ? { driverId, deviceId, configId, endpoint, attribute, row }
        : [];
    });
    await claimAll(q, tenantId, claims);
  }
  return ids;
}

/** Throws Conflict with the first row with an identity of another device. */
async function claimAll(
  q: Queries,
  tenantId: string,
  claims: readonly (Claim & { attribute: Attribute; row: number })[],
): Promise<void> {
  const refused = new Set(
    (await refusedClaims(q, tenantId, claims)).map(({ configId }) => configId),
  );
  const first = claims.find(({ configId }) => refused.has(configId));
  if (!first) return;
  const { row, attribute } = first;
  throw new Conflict(`Row ${row}: ${takenText(attribute)}`, { row });
}
