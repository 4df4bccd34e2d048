import { type Selectable, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { NotifyLedgerTable } from '../../db/schema/alarm.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { nextTime } from '../../kernel/time-window.ts';
import { AlarmLevel } from '../kind/alarm.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import type { Digest, Flood } from '../notify/grouping.ts';
import type { NotifyContent } from '../notify/policy-ext.ts';
import type { Terms } from './duty.ts';
import type { Alarm } from './of-alarm.ts';

/**
 * Why a message waits for others that go out with it, and until when (ms). `ends`: when the wait that it is in ended or
 * ends; absent: `until`.
 */
export type Gathering = { key: string; until: number; reason: string; ends?: Date | null };

/** Another transaction that writes to the same channel is over by then. */
const BESIDE_MS = 1_000;

type Asked = {
  alarm: Alarm;
  entry: Selectable<NotifyLedgerTable>;
  sends: { event: NoticeEvent; isReminder: boolean };
  terms: Terms;
  now: number;
};

/** What the message of an alarm that is due waits for; null: it goes out now, with what waits under its key. */
export async function gatheringOf(q: Queries, asked: Asked): Promise<Gathering | null> {
  const { alarm, entry, sends, terms, now } = asked;
  const { gatherKey, gatherTime } = entry;
  const { policy } = terms;
  const flooded = `flood ${sends.event}`;
  const planned = digested(asked) ?? grouped(asked);
  const isOver = gatherTime !== null && gatherTime.getTime() <= now;
  if (planned && !(isOver && [planned.key, flooded].includes(gatherKey)))
    return gatherKey === planned.key && gatherTime !== null
      ? { ...planned, until: gatherTime.getTime() }
      : { ...planned, until: (await begun(q, asked, planned.key)) ?? planned.until };
  if (!policy.flood) return null;
  const { tenantId, channelId } = entry;
  if (!(await isAlone(q, tenantId, channelId)))
    return { key: gatherKey, ends: gatherTime, until: now + BESIDE_MS, reason: 'flood' };
  // What waited for the end of a flood goes out then, whatever came meanwhile.
  const isEnd = isOver && gatherKey === flooded;
  if (isEnd && (levelOf(alarm) === 'P0' || !(await gotSince(q, entry, gatherTime)))) return null;
  const until =
    (await begun(q, asked, flooded)) ??
    (await floodedUntil(q, { ...policy.flood, tenantId, channelId, now }));
  return until > now ? { key: flooded, until, reason: 'flood' } : null;
}

/** Whether no other transaction counts and writes messages of a channel; so until the end of this one. */
async function isAlone(q: Queries, tenantId: string, channelId: string): Promise<boolean> {
  const key = `flood ${tenantId} ${channelId}`;
  const { rows } = await sql<{ isAlone: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as "isAlone"`.execute(q);
  return rows[0]?.isAlone ?? false;
}

async function gotSince(
  q: Queries,
  { tenantId, channelId }: Asked['entry'],
  since: Date,
): Promise<boolean> {
  const row = await q
    .selectFrom('svc_notify_history')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('channelId', '=', channelId)
    .where('createTime', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

function digested({ alarm, sends, terms, now }: Asked): Gathering | null {
  const { digest } = terms.policy;
  if (!digest?.levels.some((level) => level === levelOf(alarm))) return null;
  const until = nextDigest(digest, { timezone: terms.timezone, now });
  return { key: `digest ${sends.event}`, until, reason: 'digest' };
}

/** The next time of a digest, after now (ms). */
export function nextDigest(
  { everyMs, at = [], timezone }: Digest,
  given: { timezone: string; now: number },
): number {
  const { now } = given;
  if (everyMs !== undefined) return (Math.floor(now / everyMs) + 1) * everyMs;
  return Math.min(...at.map((time) => nextTime(timezone ?? given.timezone, time, now)));
}

function grouped({ alarm, sends, terms, now }: Asked): Gathering | null {
  const { grouping } = terms.policy;
  if (!grouping || sends.isReminder || levelOf(alarm) === 'P0') return null;
  const parts = grouping.by.map((part) => `${part} ${partOf(alarm, part)}`);
  const key = ['group', sends.event, ...parts].join(' ');
  return { key, until: now + grouping.waitMs, reason: 'grouping' };
}

type Part = NonNullable<NotifyContent['grouping']>['by'][number];

const partOf = (alarm: Alarm, part: Part): string =>
  ({
    device: alarm.deviceId,
    driver: alarm.driverId,
    rule: alarm.ruleId,
    level: levelOf(alarm),
  })[part];

const levelOf = ({ alarmLevelFlag }: Alarm) => nameOf(AlarmLevel, alarmLevelFlag);

/** When the message goes out that others wait for already. */
async function begun(q: Queries, { entry, now }: Asked, key: string): Promise<number | null> {
  const row = await q
    .selectFrom('svc_notify_ledger')
    .select('gatherTime')
    .where('tenantId', '=', entry.tenantId)
    .where('notifyId', '=', entry.notifyId)
    .where('channelId', '=', entry.channelId)
    .where('gatherKey', '=', key)
    .where('endTime', 'is', null)
    .where('gatherTime', '>', new Date(now))
    .orderBy('gatherTime')
    .limit(1)
    .executeTakeFirst();
  return row?.gatherTime?.getTime() ?? null;
}

/** Until when a channel that got many messages gets no more; `now` or earlier: it may get one. */
async function floodedUntil(
  q: Queries,
  { tenantId, channelId, count, perMs, now }: Flood & Sought,
): Promise<number> {
  const recent = await q
    .selectFrom('svc_notify_history')
    .select('createTime')
    .where('tenantId', '=', tenantId)
    .where('channelId', '=', channelId)
    .where('createTime', '>', new Date(now - perMs))
    .orderBy('createTime', 'desc')
    .limit(count)
    .execute();
  const [newest] = recent;
  return newest && recent.length >= count ? newest.createTime.getTime() + perMs : now;
}

type Sought = { tenantId: string; channelId: string; now: number };
