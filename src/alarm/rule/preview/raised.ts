import { sql } from 'kysely';

import type { Queries } from '../../../db/connect.ts';
import { rowOf } from '../../../kernel/entity/row.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import { nameOf } from '../../../kernel/input/flag.ts';
import { AlarmLevel, AlarmTarget } from '../../kind/alarm.ts';
import type { Span } from '../replay/stored-facts.ts';
import type { Watched } from './asked.ts';
import { MAX_EPISODES } from './episodes.ts';
import type { RulePreview } from './preview-answer.ts';

const MAX_COUNTED = 1_000;

type Of = Watched & { tenantId: string; ruleId: string; span: Span };

/** What a stored rule did raise in a span; throws NotFound, and BadRequest for a rule on other things. */
export async function raisedBy(
  q: Queries,
  { tenantId, ruleId, target, entityId, deviceId, span }: Of,
): Promise<RulePreview['stored']> {
  let alarms = q
    .selectFrom('svc_entity_alarm as a')
    .leftJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'a.tenantId').onRef('d.id', '=', 'a.deviceId'),
    )
    .leftJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'a.tenantId').onRef('p.id', '=', 'a.pointId'),
    )
    .leftJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'a.tenantId').onRef('v.id', '=', 'a.driverId'),
    )
    .select(['a.id as alarmId', 'a.deviceId', 'd.deviceName', 'a.createTime', 'a.entityId'])
    .select(['a.firstTriggerTime', 'a.lastRecoverTime', 'a.alarmLevelFlag', 'a.triggerCount'])
    .select(['p.pointName', 'v.driverName'])
    .select(sql<number | null>`(a.alarm_ext #>> '{condition,threshold}')::float8`.as('threshold'))
    .where('a.tenantId', '=', tenantId)
    .where('a.ruleId', '=', ruleId)
    .where('a.createTime', '>=', new Date(span.from))
    .where('a.createTime', '<=', new Date(span.to));
  if (entityId !== '0') alarms = alarms.where('a.entityId', '=', entityId);
  if (deviceId !== undefined) alarms = alarms.where('a.deviceId', '=', deviceId);
  const [rule, rows] = await Promise.all([
    rowOf(q, 'svc_rule', tenantId, ruleId),
    alarms.orderBy('a.createTime', 'desc').orderBy('a.id', 'desc').limit(MAX_COUNTED).execute(),
  ]);
  const watches = nameOf(AlarmTarget, rule.alarmTargetTypeFlag);
  if (watches !== target) throw new BadRequest(`ruleId: the stored rule is on a ${watches}`);
  return {
    ruleName: rule.ruleName,
    changeTime: rule.operateTime.toISOString(),
    count: rows.length,
    episodes: rows.slice(0, MAX_EPISODES).map((row) => ({
      alarmId: row.alarmId,
      entityId: row.entityId,
      entityName:
        { POINT: row.pointName, DRIVER: row.driverName, DEVICE: null, EVENT: null }[target] ??
        row.deviceName ??
        '',
      deviceId: row.deviceId,
      deviceName: row.deviceName ?? '',
      from: (row.firstTriggerTime ?? row.createTime).toISOString(),
      fired: row.createTime.toISOString(),
      to: row.lastRecoverTime?.toISOString() ?? null,
      extreme: null,
      limit: row.threshold,
      level: nameOf(AlarmLevel, row.alarmLevelFlag),
      matches: Number(row.triggerCount),
    })),
  };
}
