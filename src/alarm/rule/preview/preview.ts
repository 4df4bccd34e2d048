import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';

import { demand } from '../../../auth/permission/permission.ts';
import { declaredInterval } from '../../../data/value/freshness.ts';
import type { Queries } from '../../../db/connect.ts';
import type { PointTable } from '../../../db/schema/manager.ts';
import { inOneTrip, inTenant } from '../../../db/tenant.ts';
import type { App, Operation } from '../../../kernel/app/app.ts';
import { findRow, rowOf } from '../../../kernel/entity/row.ts';
import { BadRequest, NotFound, Unprocessable } from '../../../kernel/errors.ts';
import { nameOf } from '../../../kernel/input/flag.ts';
import { Id } from '../../../kernel/input/id.ts';
import { exact } from '../../../kernel/input/input.ts';
import { Moment } from '../../../kernel/input/moment.ts';
import { ValueType } from '../../../manager/entity/value-type.ts';
import { completed } from '../../condition/complete.ts';
import { watchesDevice } from '../../condition/devices.ts';
import type { ActiveRule } from '../../condition/fact.ts';
import { limited } from '../../condition/limit.ts';
import { membersOf } from '../../condition/peers.ts';
import { doubtsIn, refuseSenseless } from '../../condition/sense.ts';
import { AlarmLevel } from '../../kind/alarm.ts';
import { type RuleContent, RuleExt } from '../../kind/rule-ext.ts';
import { drawn, episodeOf } from './episodes.ts';
import { coveredOf, lookedAt, type Reading, type Span } from './looked-at.ts';
import { peersOf } from './peer-facts.ts';
import type { Episode, RulePreview } from './preview-answer.ts';
import { inTurn } from './preview-turn.ts';
import { suggestedOf, worstOf } from './suggested.ts';

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 7 * DAY_MS;
const MAX_SPAN_MS = 31 * DAY_MS;
const MAX_EPISODES = 50;
const VALUES = 'svc-center-data:point_value:list';

export const PreviewRule = exact({
  pointId: Id,
  /** One device with the point; without it, all of them. */
  deviceId: Id.optional(),
  ruleExt: RuleExt,
  /** The stored rule, for the alarms that it did raise. */
  ruleId: Id.optional(),
  from: Moment.optional(),
  to: Moment.optional(),
});
type PreviewRule = z.infer<typeof PreviewRule>;

/**
 * What a rule on a point would have raised in a span (the last 7 days unless it is given), by the decisions that
 * evaluate rules on the stored values. Throws Forbidden without the right to read values, NotFound, BadRequest for more
 * than 31 days, and TooManyRequests.
 */
export const preview: Operation<PreviewRule, RulePreview> = async (app, caller, given) => {
  demand(caller, VALUES);
  return inTurn(app, caller.tenantId, () => tried(app, caller.tenantId, given));
};

async function tried(app: App, tenantId: string, given: PreviewRule): Promise<RulePreview> {
  const { pointId, deviceId, ruleId } = given;
  const asked = spanOf(given, app.clock.now());
  const [watched, stored] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      watchedBy(q, { tenantId, pointId, deviceId }, given.ruleExt),
      ruleId === undefined ? null : raisedBy(q, { tenantId, ruleId, pointId, deviceId, ...asked }),
    ]),
  );
  const { point, pointType: type } = watched;
  const { content, types, rule } = await inTenant(app.db, tenantId, async (q) => {
    const named = await completed(q, tenantId, given.ruleExt.content, point);
    return { ...named, rule: await limited(q, tenantId, triedRule(given, named.content)) };
  });
  const watches = { target: 'POINT', type, points: types } as const;
  refuseSenseless(content, watches);
  const members = await peersOf(app, tenantId, rule);
  const reading = { watched, rule, types, peers: members?.devices ?? [] };
  const span = await coveredOf(app, tenantId, reading, asked);
  const looked = await lookedAt(app, tenantId, reading, span);
  const all = looked.flatMap(({ raised }) => raised).toSorted((a, b) => b.fired - a.fired);
  const names = new Map(watched.devices.map((device) => [device.deviceId, device.deviceName]));
  return {
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    count: all.length,
    episodes: all.slice(0, MAX_EPISODES).map((each) => episodeOf(each, names)),
    worst: worstOf(all.map(({ fired }) => fired)),
    suggested: suggestedOf(content, {
      all: looked.map(({ runs }) => runs),
      raised: all.length,
      until: span.to,
    }),
    devices: looked.length,
    values: looked.reduce((sum, { values }) => sum + values, 0),
    cut: [
      ...(watched.hasMore || members?.hasMore ? (['DEVICES'] as const) : []),
      ...(span.from > asked.from ? (['VALUES'] as const) : []),
      ...(looked.length < watched.devices.length ? (['TIME'] as const) : []),
    ],
    warnings: doubtsIn(content, watches),
    pointName: watched.point.pointName,
    unit: watched.point.unit,
    series: drawn(looked, names),
    stored,
  };
}

/** Throws BadRequest for a span that is empty or too long; what lies ahead is left out. */
function spanOf({ from, to }: Pick<PreviewRule, 'from' | 'to'>, now: number): Span {
  const until = Math.min(to ?? now, now);
  const since = from ?? Math.max(0, until - DEFAULT_SPAN_MS);
  if (since >= until) throw new BadRequest('from must be before to, and not ahead');
  if (until - since > MAX_SPAN_MS) throw new BadRequest('A preview has at most 31 days');
  return { from: since, to: until };
}

/** The rule as the evaluation knows rules; nothing is stored of it. */
const triedRule = ({ pointId, ruleId = '0' }: PreviewRule, content: RuleContent): ActiveRule => ({
  id: ruleId,
  name: '',
  code: '',
  target: 'POINT',
  entityId: pointId,
  notifyId: '0',
  messageId: '0',
  content,
  since: 0,
});

type Of = { tenantId: string; pointId: string; deviceId: string | undefined };

/** Devices of a profile at a time. */
const MAX_DEVICES = 20;
const MAX_COUNTED = 1_000;

type Watched = Reading['watched'] & { point: Selectable<PointTable>; hasMore: boolean };

/**
 * A point and the devices that have it and that the rule watches, or the one that is asked for. Throws NotFound for a point or device that is
 * not there, and Unprocessable for a device without the point.
 */
async function watchedBy(
  q: Queries,
  { tenantId, pointId, deviceId }: Of,
  { content }: PreviewRule['ruleExt'],
): Promise<Watched> {
  const groupId = content.peers?.groupId;
  const ext = sql`${JSON.stringify({ content: { devices: content.devices } })}::jsonb`;
  const all = q
    .selectFrom('svc_device as d')
    .innerJoin('svc_point as p', (join) =>
      join.onRef('p.tenantId', '=', 'd.tenantId').onRef('p.profileId', '=', 'd.profileId'),
    )
    .leftJoin('svc_driver as v', (join) =>
      join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
    )
    .select(['d.id as deviceId', 'd.deviceName', 'd.driverId', declaredInterval.as('declared')])
    .where('d.tenantId', '=', tenantId)
    .where('p.id', '=', pointId)
    .orderBy('d.id')
    .limit(MAX_DEVICES + 1);
  const chosen = all.where(watchesDevice(ext, sql`d.tenant_id`, sql`d.id`));
  const devices =
    groupId === undefined
      ? chosen
      : chosen.where(sql<boolean>`d.id in (${membersOf(tenantId, groupId, pointId)})`);
  const [point, asked, found] = await Promise.all([
    rowOf(q, 'svc_point', tenantId, pointId),
    deviceId === undefined ? undefined : findRow(q, 'svc_device', tenantId, deviceId),
    (deviceId === undefined ? devices : all.where('d.id', '=', deviceId)).execute(),
  ]);
  if (deviceId !== undefined && !asked) throw new NotFound('Device');
  if (deviceId !== undefined && found.length === 0)
    throw new Unprocessable("The point does not belong to the device's profile");
  return {
    point,
    pointType: nameOf(ValueType, point.pointTypeFlag),
    devices: found.slice(0, MAX_DEVICES),
    hasMore: found.length > MAX_DEVICES,
  };
}

type Raised = Of & { ruleId: string; from: number; to: number };

/** What a stored rule did raise in a span; throws NotFound. */
async function raisedBy(
  q: Queries,
  { tenantId, ruleId, pointId, deviceId, from, to }: Raised,
): Promise<{ ruleName: string; changeTime: string; count: number; episodes: Episode[] }> {
  let alarms = q
    .selectFrom('svc_entity_alarm as a')
    .leftJoin('svc_device as d', (join) =>
      join.onRef('d.tenantId', '=', 'a.tenantId').onRef('d.id', '=', 'a.deviceId'),
    )
    .select(['a.id as alarmId', 'a.deviceId', 'd.deviceName', 'a.createTime'])
    .select(['a.firstTriggerTime', 'a.lastRecoverTime', 'a.alarmLevelFlag'])
    .select(sql<number | null>`(a.alarm_ext #>> '{condition,threshold}')::float8`.as('threshold'))
    .where('a.tenantId', '=', tenantId)
    .where('a.ruleId', '=', ruleId)
    .where('a.pointId', '=', pointId)
    .where('a.createTime', '>=', new Date(from))
    .where('a.createTime', '<=', new Date(to));
  if (deviceId !== undefined) alarms = alarms.where('a.deviceId', '=', deviceId);
  const [rule, rows] = await Promise.all([
    rowOf(q, 'svc_rule', tenantId, ruleId),
    alarms.orderBy('a.createTime', 'desc').orderBy('a.id', 'desc').limit(MAX_COUNTED).execute(),
  ]);
  return {
    ruleName: rule.ruleName,
    changeTime: rule.operateTime.toISOString(),
    count: rows.length,
    episodes: rows.slice(0, MAX_EPISODES).map((row) => ({
      alarmId: row.alarmId,
      deviceId: row.deviceId,
      deviceName: row.deviceName ?? '',
      from: (row.firstTriggerTime ?? row.createTime).toISOString(),
      fired: row.createTime.toISOString(),
      to: row.lastRecoverTime?.toISOString() ?? null,
      extreme: null,
      limit: row.threshold,
      level: nameOf(AlarmLevel, row.alarmLevelFlag),
    })),
  };
}
