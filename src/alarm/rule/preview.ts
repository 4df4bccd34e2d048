import type { Selectable } from 'kysely';
import type { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import type { AttributeType } from '../../bus/topics.ts';
import { STALE_AFTER, declaredInterval, intervalOf } from '../../data/value/freshness.ts';
import type { Queries } from '../../db/connect.ts';
import type { PointTable } from '../../db/schema/manager.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { findRow, rowOf } from '../../kernel/entity/row.ts';
import { BadRequest, NotFound, TooManyRequests, Unprocessable } from '../../kernel/errors.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { exact } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { slot } from '../../kernel/slot.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { type RuleContent, RuleExt } from '../kind/rule-ext.ts';
import { drawn, episodeOf } from './episodes.ts';
import { withNamedPoints } from './named-points.ts';
import { pointsOf } from './points.ts';
import type { Episode, RulePreview } from './preview-answer.ts';
import { type Place, type Replayed, replay } from './replay.ts';
import type { ActiveRule } from './rule-cache.ts';
import { doubtsIn, refuseSenseless } from './sense.ts';
import { joinedFacts, type StoredFacts, storedFacts } from './stored-facts.ts';

/** One that runs, and those that wait. */
const MOST = 5;
const RETRY_S = 5;

const PREVIEWS = slot(() => new Map<string, Line>());

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 7 * DAY_MS;
const MAX_SPAN_MS = 31 * DAY_MS;
/** Values at a time, of all devices. */
const MAX_VALUES = 50_000;
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
  const { content, types } = await inTenant(app.db, tenantId, (q) =>
    withNamedPoints(q, tenantId, given.ruleExt.content, point),
  );
  const watches = { target: 'POINT', type, points: types } as const;
  refuseSenseless(content, watches);
  const rule = triedRule(given, content);
  const read = await factsOf(app, tenantId, { watched, rule, types, span: asked });
  const span = { from: Math.max(asked.from, ...read.map(({ from }) => from)), to: asked.to };
  const raised: Replayed[][] = [];
  for (const { place, facts } of read) {
    const within = facts.filter(({ fact }) => fact.at >= span.from);
    raised.push(await replay(rule, { place, facts: within, span }));
  }
  const all = raised.flat().toSorted((a, b) => b.fired - a.fired);
  const names = new Map(watched.devices.map((device) => [device.deviceId, device.deviceName]));
  return {
    from: new Date(span.from).toISOString(),
    to: new Date(span.to).toISOString(),
    count: all.length,
    episodes: all.slice(0, MAX_EPISODES).map((each) => episodeOf(each, names)),
    devices: read.length,
    values: read.reduce((sum, { values }) => sum + values, 0),
    cut: cutOf(watched, read),
    warnings: doubtsIn(content, watches),
    pointName: watched.point.pointName,
    unit: watched.point.unit,
    series: drawn(rule, { read, raised, names, span }),
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
  span: Span;
};

/** The values of each device, as many for each; the devices that the time does not suffice for are left out. */
async function factsOf(
  app: App,
  tenantId: string,
  { watched: { devices, pointType }, rule, types, span }: Reading,
): Promise<StoredFacts[]> {
  const begun = app.clock.elapsed();
  const isLate = (): boolean => app.clock.elapsed() - begun > MAX_MS;
  const ids = pointsOf(rule);
  const most = Math.floor(MAX_VALUES / Math.max(1, devices.length * ids.length));
  const typeOf = new Map(
    Object.entries(rule.content.points ?? {}).map(([name, id]) => [id, types.get(name)]),
  );
  const read: StoredFacts[] = [];
  for (const { deviceId, driverId, declared } of devices) {
    if (isLate()) break;
    const staleMs = STALE_AFTER * intervalOf(declared);
    const ofEach: StoredFacts[] = [];
    const placeOf = (id: string, type: AttributeType | undefined): Place => {
      return { entityId: id, pointId: id, pointType: type, deviceId, driverId };
    };
    const place = placeOf(rule.entityId, pointType);
    for (const id of ids) {
      const of = id === rule.entityId ? place : placeOf(id, typeOf.get(id));
      ofEach.push(await storedFacts(app, tenantId, { place: of, span, most, isLate }));
    }
    read.push(joinedFacts({ rule, place, staleMs }, ofEach));
  }
  return read;
}

function cutOf({ devices, hasMore }: Watched, read: readonly StoredFacts[]): RulePreview['cut'] {
  const isLate = read.length < devices.length || read.some(({ cut }) => cut === 'TIME');
  return [
    ...(hasMore ? (['DEVICES'] as const) : []),
    ...(read.some(({ cut }) => cut === 'VALUES') ? (['VALUES'] as const) : []),
    ...(isLate ? (['TIME'] as const) : []),
  ];
}

/** By tenant: the last preview in line, and how many are in it. */
type Line = { last: Promise<unknown>; length: number };

/** Runs the previews of a tenant one after the other; throws TooManyRequests (429) when too many wait. */
async function inTurn<T>(app: App, tenantId: string, run: () => Promise<T>): Promise<T> {
  const previews = app.of(PREVIEWS);
  const line = previews.get(tenantId) ?? { last: Promise.resolve(), length: 0 };
  if (line.length >= MOST)
    throw new TooManyRequests('Too many previews of rules wait; try again', RETRY_S);
  const turn = line.last.then(run);
  previews.set(tenantId, { last: turn.catch(() => {}), length: line.length + 1 });
  try {
    return await turn;
  } finally {
    const left = previews.get(tenantId);
    if (left && left.length > 1) previews.set(tenantId, { ...left, length: left.length - 1 });
    else previews.delete(tenantId);
  }
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
    .select(['a.firstTriggerTime', 'a.lastRecoverTime'])
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
    })),
  };
}
