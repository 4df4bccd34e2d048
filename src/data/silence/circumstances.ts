import { sql } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { EnableFlag, nameOf } from '../../kernel/input/flag.ts';
import { EntityState, statesOf, statusOf } from '../../manager/device/state.ts';
import { REGISTRATION } from '../../manager/driver/driver.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { RwFlag, ValueType } from '../../manager/entity/value-type.ts';
import { presenceOf } from '../../manager/presence/presence.ts';
import { declaredInterval, freshnessOf, intervalOf } from '../value/freshness.ts';
import type { joinedLatest } from '../value/latest-value.ts';
import type { Circumstances, LatestFacts } from './silence.ts';

/** A refused endpoint counts for so long after its last attempt. */
const WAITING_MS = 86_400_000;

/** The break in receiving messages of drivers, if there is one now. */
const breakTime = sql<Date | null>`(select min(paused_time) from svc_listening)`;

/** The last change of the settings with which a device is asked for a point. */
const settingTime = sql<Date | null>`(select max(c.operate_time) from svc_point_attribute_config c
  where c.tenant_id = d.tenant_id and c.device_id = d.id and c.point_id = p.id)`;

const endpoint = sql<string | null>`(select k.endpoint from svc_endpoint_claim k
  where k.tenant_id = d.tenant_id and k.device_id = d.id order by k.id limit 1)`;

const otherEndpoint = (now: number) => sql<
  string | null
>`(select w.endpoint from svc_waiting_endpoint w
  where w.tenant_id = d.tenant_id and w.key_device_id = d.id
    and w.last_time > ${new Date(now - WAITING_MS)}::timestamptz
  order by w.last_time desc, w.id desc limit 1)`;

/** The object instance in the path of a point, as `/3303/0`; only where its driver said something of the value. */
const instance = sql<string | null>`case when l.issue is not null then (
  select string_agg('/' || coalesce(c.config_value, a.default_value), '' order by a.attribute_code = 'objectInstanceId')
  from svc_point_attribute a
  left join svc_point_attribute_config c on c.tenant_id = a.tenant_id and c.attribute_id = a.id
    and c.device_id = d.id and c.point_id = p.id and c.enable_flag = ${EnableFlag.ENABLE}
  where a.tenant_id = d.tenant_id and a.driver_id = d.driver_id
    and a.attribute_code in ('objectId', 'objectInstanceId')
  having count(*) = 2) end`;

/** To points of `joinedLatest`, what else is known of each. */
export const withCircumstances = (
  points: ReturnType<typeof joinedLatest>,
  q: Queries,
  tenantId: string,
  now: number,
) =>
  points
    .leftJoin(statesOf(q, tenantId, EntityType.DEVICE, now).as('s'), 's.entityId', 'd.id')
    .leftJoin(statesOf(q, tenantId, EntityType.DRIVER, now).as('t'), 't.entityId', 'd.driverId')
    .leftJoin('svc_profile as f', (join) =>
      join.onRef('f.tenantId', '=', 'd.tenantId').onRef('f.id', '=', 'd.profileId'),
    )
    .leftJoin('svc_device_registration as r', (join) =>
      join.onRef('r.tenantId', '=', 'd.tenantId').onRef('r.deviceId', '=', 'd.id'),
    )
    .select(['d.enableFlag as ofDevice', 'f.enableFlag as ofProfile'])
    .select(['v.enableFlag as ofDriver', 'p.enableFlag as ofPoint'])
    .select(['p.rwFlag', 'p.pointTypeFlag', 'p.unit', 'p.minValue', 'p.maxValue'])
    .select(['d.operateTime as deviceTime', 'p.operateTime as pointTime', 'v.driverCode'])
    .select(['l.rawValue', 'l.calValue', 'l.numValue', 'l.quality', 'l.createTime', 'l.issue'])
    .select(['s.entityStateFlag', 's.description', 's.lastHeartbeatTime', 's.entityId'])
    .select(['s.lastOnlineTime', 's.offlineSince', 's.onlineSince', 's.readIssue', 's.hasLease'])
    .select('s.commandLifeMs')
    .select(['t.entityStateFlag as driverStateFlag', 't.hasLease as driverHasLease'])
    .select(['t.lastHeartbeatTime as driverHeardTime', 'r.objects', 'r.leftOut'])
    .select(sql<boolean>`v.driver_ext -> ${sql.lit(REGISTRATION)} is not null`.as('isDeclared'))
    .select([declaredInterval.as('declared'), breakTime.as('breakTime')])
    .select([settingTime.as('settingTime'), endpoint.as('endpoint')])
    .select([otherEndpoint(now).as('otherEndpoint'), instance.as('instance')]);

type Row = Awaited<ReturnType<ReturnType<typeof withCircumstances>['executeTakeFirstOrThrow']>>;

export function circumstancesOf(row: Row, now: number): Circumstances {
  const isOn = (flag: number | null): boolean => flag === EnableFlag.ENABLE;
  const presence = presenceOf(row);
  const intervalMs = intervalOf(row.declared);
  const driverState = { entityStateFlag: row.driverStateFlag, hasLease: row.driverHasLease };
  return {
    enabled: {
      device: isOn(row.ofDevice),
      profile: isOn(row.ofProfile),
      driver: isOn(row.ofDriver),
      point: isOn(row.ofPoint),
    },
    isReadable: row.rwFlag !== RwFlag.WRITE_ONLY,
    type: nameOf(ValueType, row.pointTypeFlag),
    unit: row.unit,
    range: { min: row.minValue, max: row.maxValue },
    breakSince: row.breakTime?.getTime() ?? null,
    driver: {
      code: row.driverCode,
      isDeclared: row.isDeclared,
      status: statusOf(driverState),
      heardAt: row.driverHeardTime?.getTime() ?? null,
    },
    presence,
    isReported: row.entityStateFlag !== null,
    isLapsed: presence.status === 'offline' && row.entityStateFlag !== EntityState.OFFLINE,
    endpoint: row.endpoint,
    otherEndpoint: row.otherEndpoint,
    changedAt: row.deviceTime.getTime(),
    readableSince: readableSince(row),
    intervalMs,
    readIssue: row.readIssue ?? '',
    sleeps: (row.commandLifeMs ?? 0) > 0,
    unregistered: unregisteredOf(row),
    latest: latestOf(row, { intervalMs, now }),
  };
}

function readableSince({ onlineSince, pointTime, settingTime: set }: Row): number | null {
  if (onlineSince === null) return null;
  return Math.max(onlineSince.getTime(), pointTime.getTime(), set?.getTime() ?? 0);
}

function latestOf(row: Row, at: { intervalMs: number; now: number }): LatestFacts | null {
  const { createTime, quality, rawValue, calValue, numValue, issue } = row;
  if (createTime === null || quality === null) return null;
  const storedQuality = nameOf(Quality, quality);
  const fresh = freshnessOf({ createTime, quality: storedQuality }, at);
  return {
    ...fresh,
    storedQuality,
    rawValue: rawValue ?? '',
    calValue: calValue ?? '',
    numValue,
    issue,
  };
}

/** The instance of the point, where all that the device registered is known and it is not among that. */
function unregisteredOf({ instance: wanted, objects, leftOut }: Row): string | null {
  if (wanted === null || objects === null || objects === '' || leftOut !== 0) return null;
  const isThere = objects.split(' ').some((path) => `/${path}/`.startsWith(`${wanted}/`));
  return isThere ? null : wanted;
}
