import type { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { BadRequest, TooManyRequests } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { exact } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { slot } from '../../kernel/slot.ts';
import { RuleExt } from '../kind/rule-ext.ts';
import { drawn, episodeOf } from './episodes.ts';
import type { RulePreview } from './preview-answer.ts';
import { replay, type Replayed } from './replay.ts';
import type { ActiveRule } from './rule-cache.ts';
import { doubtsIn, refuseSenseless } from './sense.ts';
import { type StoredFacts, storedFacts } from './stored-facts.ts';
import { raisedBy, type Watched, watchedBy } from './watched.ts';

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
  const watches = { target: 'POINT', type: watched.pointType } as const;
  refuseSenseless(given.ruleExt.content, watches);
  const read = await factsOf(app, tenantId, { watched, pointId, span: asked });
  const span = { from: Math.max(asked.from, ...read.map(({ from }) => from)), to: asked.to };
  const rule = triedRule(given);
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
    warnings: doubtsIn(given.ruleExt.content, watches),
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
const triedRule = ({ pointId, ruleId = '0', ruleExt }: PreviewRule): ActiveRule => ({
  id: ruleId,
  name: '',
  code: '',
  target: 'POINT',
  entityId: pointId,
  notifyId: '0',
  messageId: '0',
  content: ruleExt.content,
  since: 0,
});

type Reading = { watched: Watched; pointId: string; span: Span };

/** The values of each device, as many for each; the devices that the time does not suffice for are left out. */
async function factsOf(
  app: App,
  tenantId: string,
  { watched: { devices, pointType }, pointId, span }: Reading,
): Promise<StoredFacts[]> {
  const begun = app.clock.elapsed();
  const isLate = (): boolean => app.clock.elapsed() - begun > MAX_MS;
  const most = Math.floor(MAX_VALUES / Math.max(1, devices.length));
  const read: StoredFacts[] = [];
  for (const { deviceId, driverId } of devices) {
    if (isLate()) break;
    const place = { entityId: pointId, pointId, pointType, deviceId, driverId };
    read.push(await storedFacts(app, tenantId, { place, span, most, isLate }));
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
