import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { FREE, heldOf } from '../alarm/in-maintenance.ts';
import { causesOf, explainersOf } from '../duty/cause.ts';
import { dutyOf, type Terms } from '../duty/duty.ts';
import { standIns } from '../duty/escalation.ts';
import type { Alarm } from '../duty/of-alarm.ts';
import { type Entry, levelOf, presentOf, standingOf } from '../duty/standing.ts';
import type { Bound } from '../duty/terms.ts';
import { takesLevel } from '../duty/wants.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { asksFor, heirsOf } from './used.ts';

/** Alarms of one message. */
const MAX_ALARMS = 10_000;

type Asked = {
  entry: Entry;
  event: NoticeEvent;
  terms: Terms;
  /** The channels that the policy uses; whether it uses that of the entry. */
  bound: readonly Bound[];
  isBound: boolean;
  now: number;
};

/** An alarm that goes out with others; `marked`: the maintenance that its message mentions, `note`: why it is sent. */
export type Ready = { alarm: Alarm; isReminder: boolean; note: string; marked: string };

/**
 * The alarms that wait with an entry, under its key, and are due the same message now by what holds for each of them,
 * locked. Those that another transaction holds are left to it; the others are looked at by themselves.
 */
export async function readyWith(q: Queries, asked: Asked): Promise<Ready[]> {
  const { entry, event, terms, bound, now } = asked;
  const { tenantId, notifyId, channelId } = entry;
  const waiting = await waitingWith(q, entry);
  const alarmIds = waiting.map(({ alarmId }) => alarmId);
  if (alarmIds.length === 0) return [];
  const alarms = new Map((await alarmsOf(q, entry, alarmIds)).map((alarm) => [alarm.id, alarm]));
  const acknowledged = await acknowledgedOf(q, tenantId, alarmIds);
  const held = await heldOf(q, { tenantId, alarmIds }, now);
  const causes = await causesOf(q, tenantId, [...alarms.values()]);
  const explaining = await explainersOf(q, tenantId, [...new Set(causes.values())]);
  const isUnused = (alarm: Named): boolean =>
    !asked.isBound || !alarm.isNamed || !asksFor(terms.policy, alarm);
  const unused = [...alarms.values()].flatMap((alarm) => (isUnused(alarm) ? [alarm.id] : []));
  const heirs = unused.length > 0 ? await heirsOf(q, entry, unused) : new Map<string, string>();
  return waiting.flatMap((one): Ready[] => {
    const alarm = alarms.get(one.alarmId);
    if (!alarm) return [];
    const level = levelOf(alarm);
    const { marked, ...holds } = held.get(one.alarmId) ?? FREE;
    const causeId = causes.get(one.alarmId) ?? '0';
    const wanted = bound.filter(({ bind }) => takesLevel(bind, level));
    const duty = dutyOf(terms, standingOf(one, null), {
      now,
      ...presentOf(alarm, one.mutedUntil?.getTime() ?? null),
      ...holds,
      isAcknowledged: acknowledged.has(one.alarmId),
      isStandIn: standIns(terms.policy, { level, now }, wanted).includes(channelId),
      explainedBy: explaining(causeId)(notifyId, channelId) ? causeId : '0',
      ...(isUnused(alarm) && { unused: heirs.has(alarm.id) ? 'ELSEWHERE' : 'UNUSED' }),
      // It was called, and had room, when it began to wait.
      failedBefore: true,
      isActing: false,
      allowedAt: now,
      isFull: false,
    });
    if (duty.do !== 'send' || duty.event !== event) return [];
    const { isReminder, note = '' } = duty;
    return [{ alarm, isReminder, note, marked }];
  });
}

/** The entries that wait under the key of another one, the most urgent first, locked. */
async function waitingWith(
  q: Queries,
  { tenantId, notifyId, channelId, alarmId, gatherKey }: Entry,
): Promise<Entry[]> {
  if (gatherKey === '') return [];
  return q
    .selectFrom('svc_notify_ledger as l')
    .innerJoin('svc_entity_alarm as a', (join) =>
      join.onRef('a.tenantId', '=', 'l.tenantId').onRef('a.id', '=', 'l.alarmId'),
    )
    .selectAll('l')
    .where('l.tenantId', '=', tenantId)
    .where('l.notifyId', '=', notifyId)
    .where('l.channelId', '=', channelId)
    .where('l.gatherKey', '=', gatherKey)
    .where('l.endTime', 'is', null)
    .where('l.historyId', '=', '0')
    .where('l.alarmId', '!=', alarmId)
    .orderBy('a.alarmLevelFlag')
    .orderBy('l.alarmId')
    .limit(MAX_ALARMS - 1)
    .forUpdate('l')
    .skipLocked()
    .execute();
}

/** An alarm; whether its rule has the policy of the entry. */
type Named = Alarm & { isNamed: boolean };

const alarmsOf = (
  q: Queries,
  { tenantId, notifyId }: Entry,
  ids: readonly string[],
): Promise<Named[]> =>
  q
    .selectFrom('svc_entity_alarm')
    .selectAll()
    .select(
      sql<boolean>`not exists (select from svc_rule r where r.tenant_id = svc_entity_alarm.tenant_id
        and r.id = svc_entity_alarm.rule_id and r.notify_id <> ${notifyId})`.as('isNamed'),
    )
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .execute();

/** Those of some alarms that the receiver of a channel acknowledged. */
async function acknowledgedOf(
  q: Queries,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await q
    .selectFrom('svc_notify_ledger')
    .select('alarmId')
    .distinct()
    .where('tenantId', '=', tenantId)
    .where(sql<boolean>`alarm_id = any(${ids}::bigint[])`)
    .where('acknowledgedTime', 'is not', null)
    .execute();
  return new Set(rows.map(({ alarmId }) => alarmId));
}
