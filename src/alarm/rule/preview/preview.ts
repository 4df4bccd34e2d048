import { demand } from '../../../auth/permission/permission.ts';
import type { AttributeType } from '../../../bus/topic/topics.ts';
import type { Queries } from '../../../db/connect.ts';
import { inOneTrip, inTenant } from '../../../db/tenant.ts';
import type { App, Operation } from '../../../kernel/app/app.ts';
import { BadRequest } from '../../../kernel/errors.ts';
import { nameOf } from '../../../kernel/input/flag.ts';
import { ValueType } from '../../../manager/entity/value-type.ts';
import type { ActiveRule } from '../../condition/fact.ts';
import { limited } from '../../condition/limit.ts';
import { AlarmTarget } from '../../kind/alarm.ts';
import type { RuleContent } from '../../kind/rule-ext.ts';
import { completed } from '../../validation/complete.ts';
import { isSparse } from '../../validation/sense-window.ts';
import { comparesNumbers, doubtsIn, refuseSenseless } from '../../validation/sense.ts';
import { comparesAllPeers } from '../../validation/warnings.ts';
import type { Watches } from '../../validation/wrong.ts';
import { peersOf } from '../replay/peer-facts.ts';
import type { Span } from '../replay/stored-facts.ts';
import { refuseMisplaced } from '../rule.ts';
import { type PreviewRule, spanOf, type Watched, watchedIn } from './asked.ts';
import { drawn, episodesOf, type Looked } from './episodes.ts';
import { countOf, lookedAtRecords } from './looked-at-records.ts';
import { coveredOf, lookedAt, placesOf, type Reading } from './looked-at.ts';
import { watchedPoints } from './points.ts';
import type { RulePreview } from './preview-answer.ts';
import { inTurn } from './preview-turn.ts';
import { raisedBy } from './raised.ts';
import { NOTHING, suggestedOf, worstOf } from './suggested.ts';

/** The right to read what a rule is tried on. */
const READS = {
  POINT: 'svc-center-data:point_value:list',
  DEVICE: 'svc-center-data:dashboard:list',
  DRIVER: 'svc-center-data:dashboard:list',
  EVENT: 'svc-center-data:event_history:list',
} as const;

/** Whether a caller may read what a rule on a target is tried on. */
export const rightToTry = (target: AlarmTarget): string => READS[target];

/**
 * What a rule would have raised in a span (the last 7 days unless it is given), by the decisions that evaluate rules, on
 * stored values, outages with reported alarms, or events. Throws Forbidden without the right to read these, NotFound,
 * BadRequest where it is not said what the rule watches or for more than 31 days, Unprocessable for silence of what is no
 * point, and TooManyRequests.
 */
export const preview: Operation<PreviewRule, RulePreview> = async (app, caller, given) => {
  const watched = watchedIn(given);
  demand(caller, READS[watched.target]);
  return inTurn(app, caller.tenantId, () => tried(app, caller.tenantId, { ...given, watched }));
};

type Given = PreviewRule & { watched: Watched };
type Found = { looked: Looked[]; span: Span; watches: Watches; comparesAll: boolean } & Pick<
  RulePreview,
  'devices' | 'cut' | 'unknown' | 'pointName' | 'unit' | 'stored'
>;

async function tried(app: App, tenantId: string, given: Given): Promise<RulePreview> {
  const { watched, ruleExt } = given;
  const { target, entityId, deviceId } = watched;
  if (ruleExt.content.aggregate && deviceId !== undefined)
    throw new BadRequest('deviceId: the rule judges its devices together: leave it out');
  refuseMisplaced(ruleExt, AlarmTarget[target], entityId);
  const asked = { ...given, span: spanOf(given, app.clock.now()) };
  const found =
    target === 'POINT'
      ? await ofPoints(app, tenantId, asked)
      : await ofRecords(app, tenantId, { ...asked, watched: { ...watched, target } });
  const { looked, watches, content, ...rest } = found;
  const fired = looked.flatMap(({ raised }) => raised.map((each) => each.fired));
  const { from, to } = found.span;
  const { devices, cut, unknown, pointName, unit, stored } = rest;
  const suggested = suggestedOf(content, {
    all: looked.map(({ runs }) => runs),
    raised: fired.length,
    until: to,
  });
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    count: fired.length,
    episodes: episodesOf(looked),
    worst: worstOf(fired),
    // Events have no duration.
    suggested: target === 'EVENT' ? NOTHING : suggested,
    devices,
    values: looked.reduce((sum, { values }) => sum + values, 0),
    cut,
    unknown: [...unknown, ...(isEndedByPerson(target, content) ? (['CONFIRMED'] as const) : [])],
    warnings: [
      ...doubtsIn(content, watches),
      ...(isWithoutNumber(found) ? (['NO_NUMBER'] as const) : []),
      ...(found.comparesAll ? [] : (['PEERS'] as const)),
      ...(hasSparse(found, entityId) ? (['SPARSE'] as const) : []),
    ],
    pointName,
    unit,
    series: drawn(looked),
    stored,
  };
}

/** Whether a rule on the numbers of points found none. */
const isWithoutNumber = ({ content, watches, looked, cut }: Tried): boolean =>
  watches.target === 'POINT' &&
  comparesNumbers(content) &&
  !cut.includes('TIME') &&
  looked.every(({ series }) => series.length === 0);

const hasSparse = ({ content, watches, looked }: Tried, entityId: string): boolean =>
  watches.target === 'POINT' && looked.some(({ rates }) => isSparse({ entityId, content }, rates));

const isEndedByPerson = (target: AlarmTarget, { recovery }: RuleContent): boolean =>
  !recovery.enabled || (target === 'EVENT' && recovery.operator === undefined);

type Asked = Given & { span: Span };
type Tried = Found & { content: RuleContent };

const raisedOf = async (q: Queries, tenantId: string, { watched, ruleId, span }: Asked) =>
  ruleId === undefined ? null : raisedBy(q, { ...watched, tenantId, ruleId, span });

async function ofPoints(app: App, tenantId: string, given: Asked): Promise<Tried> {
  const { watched, ruleExt } = given;
  const [{ point, holders, more }, stored] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      watchedPoints(q, { ...watched, tenantId, content: ruleExt.content }),
      raisedOf(q, tenantId, given),
    ]),
  );
  const {
    content,
    types,
    comparesAll,
    rule: found,
  } = await inTenant(app.db, tenantId, async (q) => {
    const named = await completed(q, tenantId, ruleExt.content, point);
    const rule = await limited(q, tenantId, triedRule(given, named.content));
    return { ...named, rule, comparesAll: await comparesAllPeers(q, tenantId, rule) };
  });
  const typeOf = ({ pointTypeFlag }: { pointTypeFlag: number }): AttributeType =>
    nameOf(ValueType, pointTypeFlag);
  const type = point && typeOf(point);
  const watches = { target: 'POINT', type, points: types } as const;
  refuseSenseless(content, watches);
  const devices = new Map(holders.map(({ deviceId, deviceName }) => [deviceId, deviceName]));
  const rule = content.aggregate ? { ...found, devices } : found;
  const members = await peersOf(app, tenantId, rule);
  const reading: Reading = {
    rule,
    spots: holders.map((device) => {
      const { pointId } = device;
      const own = { pointId, pointType: typeOf(device) };
      const places = placesOf(rule, own, { device, types });
      return { ...device, entityName: device.pointName, places };
    }),
    peers: (point && members ? members.devices : []).map((device) => {
      const own = { pointId: rule.entityId, pointType: type ?? 'DOUBLE' };
      const places = placesOf(rule, own, { device, types });
      return { ...device, entityName: point?.pointName ?? '', places };
    }),
  };
  const span = await coveredOf(app, tenantId, reading, given.span);
  const looked = await lookedAt(app, tenantId, reading, span);
  return {
    content,
    watches,
    looked,
    span,
    devices: rule.devices?.size ?? new Set(looked.map(({ deviceId }) => deviceId)).size,
    cut: [
      ...(members?.hasMore && !more.includes('DEVICES') ? (['DEVICES'] as const) : []),
      ...more,
      ...(span.from > given.span.from ? (['VALUES'] as const) : []),
      ...(looked.length < (content.aggregate ? Math.min(1, devices.size) : reading.spots.length)
        ? (['TIME'] as const)
        : []),
    ],
    unknown: [],
    comparesAll,
    pointName: point?.pointName ?? '',
    unit: point?.unit ?? '',
    stored,
  };
}

/** The rule as the evaluation knows rules; nothing is stored of it. */
const triedRule = ({ watched, ruleId = '0' }: Asked, content: RuleContent): ActiveRule => ({
  id: ruleId,
  name: '',
  code: '',
  target: watched.target,
  entityId: watched.entityId,
  notifyId: '0',
  messageId: '0',
  content,
  since: 0,
});

type OfRecords = Asked & { watched: { target: Exclude<AlarmTarget, 'POINT'> } };

async function ofRecords(app: App, tenantId: string, given: OfRecords): Promise<Tried> {
  const { watched, ruleExt, span: asked } = given;
  const { target } = watched;
  const { content, count, stored } = await inTenant(app.db, tenantId, async (q) => {
    const named = await completed(q, tenantId, ruleExt.content, null);
    const devices = await countOf(q, tenantId, { ...watched, content: named.content });
    return { ...named, count: devices, stored: await raisedOf(q, tenantId, given) };
  });
  const watches = { target, type: null } as const;
  refuseSenseless(content, watches);
  const rule = triedRule(given, content);
  const found = await lookedAtRecords(app, tenantId, { watched, rule, span: asked });
  const devices = found.cut.includes('TIME') ? found.looked.length : count;
  return {
    ...found,
    content,
    watches,
    devices,
    comparesAll: true,
    pointName: '',
    unit: '',
    stored,
  };
}
