import { type RawBuilder, sql } from 'kysely';

import { AlarmLevel } from '../../alarm/kind/alarm.ts';
import type { Outcome } from '../../data/command/outcome.ts';
import { commandsOf, receiptOf } from '../../data/command/record.ts';
import { callsOf, recordOf } from '../../data/write/call-history.ts';
import type { Queries } from '../../db/connect.ts';
import {
  type Asked,
  type Change,
  changesAfter,
  type Page,
  readPage,
} from '../../kernel/feed/change.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { clean } from '../../kernel/sentence/visible.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { actionsOf, viewOf } from '../action/view.ts';

/** A change for its readers; `say` and `done` are what is known when it is read. */
type Event = Change & { deviceName: string | null; say: string; done?: boolean };

export type EventPage = Omit<Page, 'changes'> & { events: Event[] };

/** What `say` needs to know of a change: an outcome by the id of its action or command, an alarm by its own. */
type Facts = {
  deviceNames: ReadonlyMap<string, string>;
  alarms: ReadonlyMap<string, { level: string; message: string }>;
  outcomes: ReadonlyMap<string, Pick<Outcome, 'say' | 'done'>>;
};

/** Asks everything at once, for one trip; `now` in ms since the epoch. */
export async function eventsAfter(
  q: Queries,
  tenantId: string,
  asked: Asked,
  now: number,
): Promise<EventPage> {
  const page = changesAfter(tenantId, asked);
  // First: it gives the places that the others see.
  const [{ changes, ...rest }, deviceNames, alarms, ...outcomes] = await Promise.all([
    readPage(q, tenantId, asked),
    deviceNamesOf(q, tenantId, page),
    asked.kinds.includes('alarm') ? alarmsOf(q, tenantId, page) : new Map(),
    ...(asked.kinds.includes('action') ? [actionOutcomes(q, tenantId, page, now)] : []),
    ...(asked.kinds.includes('command')
      ? [commandOutcomes(q, tenantId, page, now), callOutcomes(q, tenantId, page)]
      : []),
  ]);
  const facts = { deviceNames, alarms, outcomes: new Map(outcomes.flatMap((one) => [...one])) };
  return { ...rest, events: changes.map((change) => told(change, facts)) };
}

function told(change: Change, { deviceNames, alarms, outcomes }: Facts): Event {
  const { kind, what, ref, deviceId } = change;
  const deviceName = deviceNames.get(deviceId) ?? null;
  const named = deviceId === '0' ? '' : ` of ${quoted(deviceName ?? deviceId)}`;
  const word = what.toLowerCase();
  if (kind === 'device')
    return { ...change, deviceName, say: `Device ${named.slice(4)} went ${word}.` };
  if (kind === 'alarm') {
    const alarm = alarms.get(ref);
    const about = alarm ? `: ${clean(alarm.message, 160)}` : ', which is not stored any more';
    const say = `${alarm ? `${alarm.level} alarm` : 'Alarm'}${named} ${word}${about}.`;
    return { ...change, deviceName, say };
  }
  const known = outcomes.get(ref);
  const say = known?.say ?? `${kind === 'action' ? 'Proposal' : 'Command'}${named}: ${word}.`;
  return { ...change, deviceName, say, ...(known && { done: known.done }) };
}

/** Ids of what the changes of one kind are about. */
const refsIn = (page: RawBuilder<unknown>, kind: Change['kind'], type: 'bigint' | 'uuid') =>
  sql<string>`(select ref::${sql.raw(type)} from (${page}) page where kind = ${kind})`;

async function deviceNamesOf(q: Queries, tenantId: string, page: RawBuilder<unknown>) {
  const rows = await q
    .selectFrom('svc_device')
    .select(['id', 'deviceName'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', sql<string>`(select device_id from (${page}) page)`)
    .execute();
  return new Map(rows.map(({ id, deviceName }) => [id, deviceName]));
}

async function alarmsOf(q: Queries, tenantId: string, page: RawBuilder<unknown>) {
  const rows = await q
    .selectFrom('svc_entity_alarm')
    .select(['id', 'alarmLevelFlag', 'message'])
    .where('tenantId', '=', tenantId)
    .where('id', 'in', refsIn(page, 'alarm', 'bigint'))
    .execute();
  return new Map(
    rows.map(({ id, alarmLevelFlag, message }) => [
      id,
      { level: nameOf(AlarmLevel, alarmLevelFlag), message },
    ]),
  );
}

type Outcomes = Promise<Map<string, Pick<Outcome, 'say' | 'done'>>>;

async function actionOutcomes(
  q: Queries,
  tenantId: string,
  page: RawBuilder<unknown>,
  now: number,
): Outcomes {
  const rows = await actionsOf(q, tenantId)
    .where('svc_action.actionId', 'in', refsIn(page, 'action', 'uuid'))
    .execute();
  return new Map(rows.map((row) => [row.actionId, viewOf(row, now)]));
}

async function commandOutcomes(
  q: Queries,
  tenantId: string,
  page: RawBuilder<unknown>,
  now: number,
): Outcomes {
  const rows = await commandsOf(q, tenantId)
    .where('c.commandId', 'in', refsIn(page, 'command', 'uuid'))
    .execute();
  return new Map(rows.map((row) => [row.commandId, receiptOf(row, now)]));
}

async function callOutcomes(q: Queries, tenantId: string, page: RawBuilder<unknown>): Outcomes {
  const rows = await callsOf(q, tenantId)
    .where('c.recordId', 'in', refsIn(page, 'command', 'uuid'))
    .execute();
  return new Map(rows.map((row) => [row.recordId, recordOf(row)]));
}
