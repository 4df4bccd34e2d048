import { type Selectable, sql } from 'kysely';
import type { z } from 'zod';

import { demand } from '../../../auth/permission/permission.ts';
import type { AttributeType } from '../../../bus/topics.ts';
import { STALE_AFTER, declaredInterval, intervalOf } from '../../../data/value/freshness.ts';
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
import type { ActiveRule, Fact } from '../../condition/fact.ts';
import { atPlace, limited } from '../../condition/limit.ts';
import { pointsOf } from '../../condition/points.ts';
import { doubtsIn, refuseSenseless } from '../../condition/sense.ts';
import { AlarmLevel } from '../../kind/alarm.ts';
import { type RuleContent, RuleExt } from '../../kind/rule-ext.ts';
import { drawn, episodeOf, type Looked, Series } from './episodes.ts';
import { oldestOf } from './oldest.ts';
import type { Episode, RulePreview } from './preview-answer.ts';
import { inTurn } from './preview-turn.ts';
import { type Place, replay } from './replay.ts';
import { joinedFacts, type StoredFacts, storedFacts } from './stored-facts.ts';

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 7 * DAY_MS;
const MAX_SPAN_MS = 31 * DAY_MS;
/** The newest values of each device, of all points of a rule: a month at 30 s has 86,400. */
const MAX_VALUES = 100_000;
const MAX_MS = 10_000;
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
type Span = { from: number; to: number };

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
      watchedBy(q, { tenantId, pointId, deviceId }),
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
  const reading = { watched, rule, types };
  const span = await coveredOf(app, tenantId, reading, asked);
  const looked = await lookedAt(app, tenantId, reading, span);
  const all = looked.flatMap(({ raised }) => raised).toSorted((a, b) => b.fired - a.fired);
  const names = new Map(watched.devices.map((device) => [device.deviceId, device.deviceName]));
  return {
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    count: all.length,
    episodes: all.slice(0, MAX_EPISODES).map((each) => episodeOf(each, names)),
    devices: looked.length,
    values: looked.reduce((sum, { values }) => sum + values, 0),
    cut: [
      ...(watched.hasMore ? (['DEVICES'] as const) : []),
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

type Reading = {
  watched: Watched;
  rule: ActiveRule;
  types: ReadonlyMap<string, AttributeType>;
};

/** The points of a rule on a device, its own first. */
function placesOf({ watched, rule, types }: Reading, { deviceId, driverId }: Device): Place[] {
  const typeOf = new Map(
    Object.entries(rule.content.points ?? {}).map(([name, id]) => [id, types.get(name)]),
  );
  return pointsOf(rule).map((id) => ({
    entityId: id,
    pointId: id,
    pointType: id === rule.entityId ? watched.pointType : typeOf.get(id),
    deviceId,
    driverId,
  }));
}

/** The span in which no device has more values than are looked at. */
async function coveredOf(app: App, tenantId: string, reading: Reading, span: Span): Promise<Span> {
  const places = reading.watched.devices.flatMap((device) => placesOf(reading, device));
  const most = Math.floor(MAX_VALUES / pointsOf(reading.rule).length);
  const oldest = await oldestOf(app, tenantId, { places, span, most });
  return { from: Math.max(span.from, ...oldest.map((at) => at ?? 0)), to: span.to };
}

/** What the rule would have raised, a device at a time; those that the time does not suffice for are left out. */
async function lookedAt(
  app: App,
  tenantId: string,
  reading: Reading,
  span: Span,
): Promise<Looked[]> {
  const { rule, watched } = reading;
  const begun = app.clock.elapsed();
  const isLate = (): boolean => app.clock.elapsed() - begun > MAX_MS;
  const looked: Looked[] = [];
  const content = JSON.stringify(rule.content);
  const withRaw = content.includes('rawValue');
  const withTime = content.includes('createTime');
  const read = async (device: Device): Promise<StoredFacts[] | null> => {
    const ofEach: StoredFacts[] = [];
    for (const place of placesOf(reading, device)) {
      const given = { place, span, withRaw, withTime, isLate };
      const found = isLate() ? null : await storedFacts(app, tenantId, given);
      if (!found) return null;
      ofEach.push(found);
    }
    return ofEach;
  };
  // The database reads the next one meanwhile.
  let next = watched.devices[0] && read(watched.devices[0]);
  for (const [index, device] of watched.devices.entries()) {
    const ofEach = await next;
    if (!ofEach) return looked;
    const following = watched.devices[index + 1];
    next = following && read(following);
    // Of a failed one nothing is unhandled where the replay fails first.
    next?.catch(() => {});
    const [own] = ofEach;
    if (!own) continue;
    const staleMs = STALE_AFTER * intervalOf(device.declared);
    const placed = atPlace(rule, own.place);
    const joined = joinedFacts({ rule: placed, place: own.place, staleMs }, ofEach);
    const series = new Series(placed, span);
    const onFact = (fact: Fact): void => series.add(fact);
    looked.push({
      deviceId: device.deviceId,
      raised: await replay(placed, { ...joined, span, onFact }),
      values: joined.count,
      series: series.points(),
    });
  }
  return looked;
}

type Device = { deviceId: string; deviceName: string; driverId: string; declared: string | null };
type Of = { tenantId: string; pointId: string; deviceId: string | undefined };

/** Devices of a profile at a time. */
const MAX_DEVICES = 20;
const MAX_COUNTED = 1_000;

type Watched = {
  point: Selectable<PointTable>;
  pointType: AttributeType;
  devices: Device[];
  hasMore: boolean;
};

/**
 * A point and the devices that have it, or the one that is asked for. Throws NotFound for a point or device that is
 * not there, and Unprocessable for a device without the point.
 */
async function watchedBy(q: Queries, { tenantId, pointId, deviceId }: Of): Promise<Watched> {
  const devices = q
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
  const [point, asked, found] = await Promise.all([
    rowOf(q, 'svc_point', tenantId, pointId),
    deviceId === undefined ? undefined : findRow(q, 'svc_device', tenantId, deviceId),
    (deviceId === undefined ? devices : devices.where('d.id', '=', deviceId)).execute(),
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
