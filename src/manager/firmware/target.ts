import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { statesOf, type Status, statusOf } from '../device/state.ts';
import { EntityType } from '../entity/entity-type.ts';
import { type Facts, settingFacts } from '../entity/setting-facts.ts';
import { deviceSettingsOf } from '../entity/setting.ts';

const MODEL = '1';
const VERSION = '3';

/** Devices of one question, for roll-outs of thousands. */
const AT_ONCE = 500;

/** A device as far as a roll-out depends on it. */
export type Target = {
  deviceId: string;
  deviceName: string;
  deviceCode: string;
  deviceStatus: Status;
  isEnabled: boolean;
  everConnected: boolean;
  /** Whether it registered object 5; null: not known. */
  hasFirmwareObject: boolean | null;
  /** Another roll-out updates it. */
  isBusy: boolean;
  endpoint: string;
  security: 'PSK' | 'CLEAR' | 'UNKNOWN';
  keyIdentity: string;
  versionNow: string | null;
  model: string | null;
  /** Everything that decides which device gets the bytes. */
  facts: Facts;
};

type Row = {
  deviceId: string;
  deviceName: string;
  deviceCode: string;
  enableFlag: number;
  driver: string | null;
  objects: string | null;
  leftOut: number | null;
  isBusy: boolean;
};

/** Those of the devices that exist, in the order of the ids; `now` in ms since the epoch. */
export async function targetsOf(
  app: Pick<App, 'keys'>,
  q: Queries,
  tenantId: string,
  deviceIds: readonly string[],
  now: number,
): Promise<Target[]> {
  const targets: Target[] = [];
  for (let at = 0; at < deviceIds.length; at += AT_ONCE)
    targets.push(...(await some(app, q, tenantId, deviceIds.slice(at, at + AT_ONCE), now)));
  return targets;
}

async function some(
  { keys }: Pick<App, 'keys'>,
  q: Queries,
  tenantId: string,
  ids: readonly string[],
  now: number,
): Promise<Target[]> {
  const [rows, settings, states, identities] = await Promise.all([
    rowsOf(q, tenantId, ids),
    deviceSettingsOf(q, { keys }, tenantId, ids),
    statesOf(q, tenantId, EntityType.DEVICE, now)
      .where('entityId', 'in', [...ids, '0'])
      .execute(),
    identitiesOf(q, tenantId, ids),
  ]);
  const reported = new Map(states.map((state) => [state.entityId, state]));
  return rows.map((row): Target => {
    const { deviceId, deviceName, deviceCode, objects } = row;
    const state = reported.get(deviceId);
    const given = settings.get(deviceId) ?? {};
    const said = (code: string): string => given[code]?.value ?? '';
    const endpoint = said('endpoint');
    const security = securityOf(given['securityMode']?.value);
    return {
      deviceId,
      deviceName,
      deviceCode,
      deviceStatus: statusOf(state),
      isEnabled: row.enableFlag === EnableFlag.ENABLE,
      everConnected: objects !== null || (state?.lastOnlineTime ?? null) !== null,
      hasFirmwareObject: hasObject(row, state?.lastOnlineTime ?? null),
      isBusy: row.isBusy,
      endpoint,
      security,
      keyIdentity: security === 'PSK' ? said('pskIdentity') || endpoint : '',
      versionNow: identities.get(deviceId)?.version ?? null,
      model: identities.get(deviceId)?.model ?? null,
      facts: {
        driver: row.driver ?? '',
        ...settingFacts('device', given, keys.confirmation),
      },
    };
  });
}

async function rowsOf(q: Queries, tenantId: string, ids: readonly string[]): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select d.id as device_id, d.device_name, d.device_code, d.enable_flag,
      v.driver_code || ' (' || v.id || ')' as driver, r.objects, r.left_out,
      exists (select from svc_firmware_update u where u.tenant_id = d.tenant_id and u.device_id = d.id
        and u.end_time is null) as is_busy
    from unnest(${ids}::bigint[]) with ordinality as wanted (id, place)
    join svc_device d on d.tenant_id = ${tenantId} and d.id = wanted.id
    left join svc_driver v on v.tenant_id = d.tenant_id and v.id = d.driver_id
    left join svc_device_registration r on r.tenant_id = d.tenant_id and r.device_id = d.id
    order by wanted.place`.execute(q);
  return rows;
}

const securityOf = (mode: string | undefined): Target['security'] => {
  if (mode === undefined) return 'UNKNOWN';
  return mode === 'PSK' ? 'PSK' : 'CLEAR';
};

/** A device that was online without a registration is of a driver that knows no objects. */
function hasObject({ objects, leftOut }: Row, onlineTime: Date | null): boolean | null {
  if (objects === null) return onlineTime === null ? null : false;
  if (objects.split(' ').some((path) => path === '5' || path.startsWith('5/'))) return true;
  return (leftOut ?? 0) > 0 ? null : false;
}

type Identity = { model: string | null; version: string | null };

type Stated = { deviceId: string; resourceId: string; value: string; at: Date };

/** Statements of all devices of a tenant. */
const MAX_STATED = 50_000;

/**
 * What devices, or all of the tenant (null), said last of themselves: their model (points at /3/0/1) and the version that
 * they run (points at /3/0/3, and their updates).
 */
export async function identitiesOf(
  q: Queries,
  tenantId: string,
  deviceIds: readonly string[] | null,
): Promise<Map<string, Identity>> {
  const isOf = (column: string) =>
    deviceIds === null ? sql`true` : sql`${sql.ref(column)} = any(${deviceIds}::bigint[])`;
  const { rows } = await sql<Stated>`
    select o.device_id, r.config_value as resource_id, l.cal_value as value, l.create_time as at
    from svc_point_attribute_config o
    join svc_point_attribute oa on oa.tenant_id = o.tenant_id and oa.id = o.attribute_id
      and oa.attribute_code = 'objectId'
    join svc_point_attribute_config r on r.tenant_id = o.tenant_id and r.device_id = o.device_id
      and r.point_id = o.point_id and r.enable_flag = 0
    join svc_point_attribute ra on ra.tenant_id = r.tenant_id and ra.id = r.attribute_id
      and ra.attribute_code = 'resourceId'
    join svc_point_latest l on l.tenant_id = o.tenant_id and l.device_id = o.device_id
      and l.point_id = o.point_id
    where o.tenant_id = ${tenantId} and ${isOf('o.device_id')} and o.enable_flag = 0
      and o.config_value = '3' and r.config_value in (${MODEL}, ${VERSION})
    union all
    select u.device_id, ${VERSION}::text, u.version_now, u.heard_time
    from svc_firmware_update u
    where u.tenant_id = ${tenantId} and ${isOf('u.device_id')}
      and u.version_now is not null and u.heard_time is not null
    order by at limit ${MAX_STATED}`.execute(q);
  const found = new Map<string, Identity>();
  // In their order: the last word counts.
  for (const { deviceId, resourceId, value } of rows) {
    const known = found.get(deviceId) ?? { model: null, version: null };
    found.set(deviceId, {
      ...known,
      ...(resourceId === MODEL ? { model: value } : { version: value }),
    });
  }
  return found;
}
