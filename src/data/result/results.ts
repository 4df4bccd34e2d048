import { type Selectable, sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { PointCommandHistoryTable } from '../../db/schema/data.ts';
import { acrossTenants, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { storable } from '../../kernel/input/text.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { commandEnded, countEnd, isAwaited } from '../command/receipt.ts';
import { findReceipt, type Receipt } from '../command/record.ts';
import {
  allowing,
  answers,
  CommandStatus,
  CommandType,
  transitions,
  Verification,
} from '../command/state.ts';
import { verify } from '../command/verification.ts';
import { startCallResults } from '../write/call-results.ts';
import { waits } from '../write/waits.ts';
import { hasDoubt, readAfter } from './read-after.ts';
import { sweepEvidence } from './sweep.ts';

type Message = Payload<'svc.e.point_command_result'>;
/** The end of a command, from its driver. */
type Result = Message & { status: keyof typeof answers };

const PREFETCH = 10;
const SWEEP_MS = 1_000;
const SWEEP_BATCH = 500;
const SWEEP_ROUNDS = 20;
/** How long after its expiry a sent command may still be answered. */
const ANSWER_GRACE_MS = 3_000;

/** Ends commands by the driver's answer, or by the sweeper after their expiry. */
export async function startCommandResults(app: App): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.point_command_result',
    { queue: 'svc.q.point_command_result', key: '#', prefetch: PREFETCH },
    (result) => end(app, result),
  );
  const calls = await startCallResults(app);
  let sweeping: Promise<void> = sweep(app);
  const cancel = app.clock.every(SWEEP_MS, () => (sweeping = sweep(app)));
  return {
    async stop() {
      cancel();
      await sweeping;
      await calls.stop();
      await subscription.cancel();
    },
  };
}

async function end(app: App, message: Message): Promise<void> {
  const { commandId, tenantId, status } = message;
  if (status === 'WAITING')
    return waits(app, 'svc_point_command_history', { tenantId, id: commandId });
  const ended = await apply(app, { ...message, status }, app.clock.now());
  if (!ended)
    return app.log.warn(
      { commandId, tenantId, status },
      'answer to an unknown or ended command ignored',
    );
  countEnd(app, 'point', ended.status);
  commandEnded(app, commandId, ended.receipt);
  for (const id of ended.changed) commandEnded(app, id);
}

/** The receipt if it is waited for here; the ids of the uncertain writes that a read value changed. */
type End = { status: CommandStatus; receipt: Receipt | null; changed: string[] };

/**
 * One conditional UPDATE decides between answers and the sweeper. Null if the command is unknown or has
 * ended.
 */
async function apply(app: App, result: Result, now: number): Promise<End | null> {
  const { commandId, tenantId, status, responseValue, errorCode, askedMs } = result;
  const written = isComparable(result)
    ? await inOneTrip(app.db, tenantId, (q) => writtenBy(q, result))
    : undefined;
  const verification = verificationOf(result, written);
  // A read value with a doubt of its driver is stored with the error code, but is no evidence.
  // Neither is one that waited for its device: how it and a write follow each other is not certain.
  const isTimely = responseValue !== null && askedMs === undefined;
  const isEvidence = status === 'SUCCESS' && isTimely && errorCode === '';
  const given = { result, verification, now };
  const [ended, receipt] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      finish(q, { ...given, unlessEvidence: isEvidence }),
      isAwaited(app, commandId) ? findReceipt(q, tenantId, commandId, now) : null,
    ]),
  );
  const reached = transitions.SENT[answers[status]] ?? 'UNKNOWN';
  if (ended) return { status: reached, receipt, changed: [] };
  if (!isEvidence) return null;
  return inTenant(app.db, tenantId, async (q) => {
    const read = await finish(q, given);
    if (!read) return null;
    const { sendTime } = read;
    if (!sendTime) return { status: reached, receipt: null, changed: [] };
    const sent = { ...read, tenantId, sendTime };
    return {
      status: reached,
      receipt: null,
      changed: await readAfter(q, app, sent, responseValue, now),
    };
  });
}

type Finish = {
  result: Result;
  /** Of a write; a read has none. */
  verification: keyof typeof Verification;
  now: number;
  /** Leaves a read for `readAfter`, if an uncertain write to its point may be proved by it. */
  unlessEvidence?: boolean;
};

/** Ends the command; undefined if it is unknown or has ended. */
function finish(
  q: Queries,
  { result, verification, now, unlessEvidence = false }: Finish,
): Promise<Ended | undefined> {
  const { commandId, tenantId, status, responseValue, readBack, askedMs } = result;
  const event = answers[status];
  const told = verification === 'MISMATCH' && result.errorCode === '' ? mismatch : result;
  const answered = status === 'SUCCESS' && responseValue !== null ? storable(responseValue) : null;
  const isWrite = sql<boolean>`c.type = ${sql.lit(CommandType.WRITE)}`;
  const ending = q
    .updateTable('svc_point_command_history as c')
    .set({
      status: CommandStatus[transitions.SENT[event] ?? 'UNKNOWN'],
      responseValue:
        status === 'SUCCESS'
          ? sql<string>`case when ${isWrite} then c.request_value else ${answered} end`
          : null,
      readBackValue: sql<string>`case when ${isWrite} then ${readBack && storable(readBack)} end`,
      verification: sql<number>`case when ${isWrite} then ${sql.lit(Verification[verification])} else 0 end`,
      errorCode: storable(told.errorCode),
      errorMessage: storable(told.errorMessage),
      finishTime: new Date(now),
      operateTime: new Date(now),
      // It was sent when the device woke; what the point held then is not known.
      ...(askedMs !== undefined && { sendTime: new Date(now - askedMs), beforeValue: null }),
    })
    .where('c.tenantId', '=', tenantId)
    .where('c.commandId', '=', commandId)
    .where('c.status', 'in', allowing(event));
  return (
    unlessEvidence ? ending.where(sql<boolean>`(${isWrite} or not ${hasDoubt(now)})`) : ending
  )
    .returning(['c.deviceId', 'c.pointId', 'c.sendTime'])
    .executeTakeFirst();
}

type Ended = Pick<Selectable<PointCommandHistoryTable>, 'deviceId' | 'pointId' | 'sendTime'>;

const mismatch = {
  errorCode: 'MISMATCH',
  errorMessage: 'the device accepted the write and holds another value',
};

/** Whether a read-back has to be compared with the written value. */
const isComparable = ({ status, readBack, errorCode }: Result): boolean =>
  status === 'SUCCESS' && readBack !== null && errorCode !== 'READ_BACK_INVALID';

const writtenBy = (q: Queries, { tenantId, commandId }: Result): Promise<Written | undefined> =>
  q
    .selectFrom('svc_point_command_history')
    .select(['requestValue', 'pointTypeFlag', 'valueDecimal'])
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .where('type', '=', CommandType.WRITE)
    .executeTakeFirst();

type Written = Pick<
  Selectable<PointCommandHistoryTable>,
  'requestValue' | 'pointTypeFlag' | 'valueDecimal'
>;

/** Compares by type and decimals at the time of the write; UNVERIFIED if those are unknown. */
function verificationOf(
  { status, readBack, errorCode }: Result,
  written: Written | undefined,
): keyof typeof Verification {
  if (status !== 'SUCCESS') return 'NONE';
  if (errorCode === 'READ_BACK_INVALID') return 'MISMATCH';
  const { requestValue = null, pointTypeFlag = null, valueDecimal = null } = written ?? {};
  if (requestValue === null || pointTypeFlag === null || valueDecimal === null) return 'UNVERIFIED';
  const type = nameOf(ValueType, pointTypeFlag);
  const held = readBack === null ? null : storable(readBack);
  return verify({ type, decimals: valueDecimal }, requestValue, held);
}

/** Never throws; the next round retries. */
async function sweep(app: App): Promise<void> {
  try {
    for (const kind of kinds)
      for (let round = 0; round < SWEEP_ROUNDS; round += 1) {
        const now = app.clock.now();
        const ended = await acrossTenants(app.db, 'sweeper', (q) => endOverdue(q, kind, now));
        for (const { commandId, status } of ended) {
          countEnd(app, kind.counted, nameOf(CommandStatus, status));
          commandEnded(app, commandId);
        }
        if (ended.length < SWEEP_BATCH) break;
      }
    await sweepEvidence(app);
  } catch (error) {
    app.log.error({ error }, 'overdue commands could not be ended');
  }
}

const kinds = [
  { table: 'svc_point_command_history', key: 'command_id', counted: 'point' },
  { table: 'svc_command_history', key: 'record_id', counted: 'call' },
] as const;

/** PENDING was never published: EXPIRED. SENT without an answer may have been done: UNKNOWN. */
async function endOverdue(
  q: Queries,
  { table, key }: (typeof kinds)[number],
  now: number,
): Promise<{ commandId: string; status: number }[]> {
  const { rows } = await sql<{ commandId: string; status: number }>`
    update ${sql.table(table)} c set
      status = case when c.status = ${CommandStatus.PENDING} then ${CommandStatus.EXPIRED}::smallint
        else ${CommandStatus.UNKNOWN}::smallint end,
      error_code = case when c.status = ${CommandStatus.PENDING} then 'EXPIRED' else 'NO_ANSWER' end,
      error_message = case when c.status = ${CommandStatus.PENDING}
        then 'the command expired before it was sent'
        else 'the driver did not answer: the device may or may not have done it' end,
      finish_time = ${new Date(now)}, operate_time = ${new Date(now)}
    where c.id in (
      select id from ${sql.table(table)}
      where status in (${CommandStatus.PENDING}, ${CommandStatus.SENT})
        and expire_time <= case when status = ${CommandStatus.PENDING} then ${new Date(now)}::timestamptz
          else ${new Date(now - ANSWER_GRACE_MS)}::timestamptz end
        and expire_time <= ${new Date(now)}
      order by expire_time limit ${SWEEP_BATCH} for update skip locked)
    returning ${sql.ref(`c.${key}`)} as command_id, c.status`.execute(q);
  return rows;
}
