import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { type Status, statesOf, statusOf } from '../device/state.ts';
import { EntityType } from '../entity/entity-type.ts';
import { type Facts, settingFacts } from '../setting/facts.ts';
import { deviceSettingsOf } from '../setting/setting.ts';
import { identitiesOf } from './reported-identity.ts';

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
