import { sql } from 'kysely';

import type { App } from '../../app.ts';
import type { Payload } from '../../bus/topics.ts';
import { nameOf } from '../../core/input/flag.ts';
import { storable } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import { ValueType } from '../../manager/profile/value-type.ts';
import { startCallResults } from './call/results.ts';
import { commandEnded } from './ended.ts';
import { readAfter, sweepEvidence } from './evidence/sweep.ts';
import {
  allowing,
  answers,
  CommandStatus,
  CommandType,
  transitions,
  Verification,
} from './state.ts';
import { verify } from './verification.ts';

type Result = Payload<'svc.e.point_command_result'>;

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

async function end(app: App, result: Result): Promise<void> {
  const { commandId, tenantId, status } = result;
  const ended = await inTenant(app.db, tenantId, (q) => apply(q, result, app.clock.now()));
  if (ended) for (const id of [commandId, ...ended]) commandEnded(app, id);
  else
    app.log.warn({ commandId, tenantId, status }, 'answer to an unknown or ended command ignored');
}

/**
 * One conditional UPDATE decides between answers and the sweeper. Null if the command is unknown or has
 * ended, else the ids of the uncertain writes that a read value changed.
 */
async function apply(q: Queries, result: Result, now: number): Promise<string[] | null> {
  const { commandId, tenantId, status } = result;
  const event = answers[status];
  const command = await q
    .selectFrom('svc_point_command_history')
    .select(['type', 'deviceId', 'pointId', 'requestValue', 'sendTime'])
    .select(['pointTypeFlag', 'valueDecimal'])
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .executeTakeFirst();
  if (!command) return null;
  const isWrite = command.type === CommandType.WRITE;
  const succeeded = status === 'SUCCESS';
  const readBack = result.readBack === null ? null : storable(result.readBack);
  const verification = succeeded && isWrite ? verified(command, result, readBack) : 'NONE';
  const told = verification === 'MISMATCH' && result.errorCode === '' ? mismatch : result;
  const answered = isWrite ? command.requestValue : result.responseValue;
  const { numUpdatedRows } = await q
    .updateTable('svc_point_command_history')
    .set({
      status: CommandStatus[transitions.SENT[event] ?? 'UNKNOWN'],
      responseValue: succeeded && answered !== null ? storable(answered) : null,
      readBackValue: isWrite ? readBack : null,
      verification: Verification[verification],
      errorCode: storable(told.errorCode),
      errorMessage: storable(told.errorMessage),
      finishTime: new Date(now),
      operateTime: new Date(now),
    })
    .where('tenantId', '=', tenantId)
    .where('commandId', '=', commandId)
    .where('status', 'in', allowing(event))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return null;
  const { deviceId, pointId, sendTime } = command;
  if (isWrite || !succeeded || result.responseValue === null || sendTime === null) return [];
  // The driver doubts the answer: it is stored with the error code, but is no evidence.
  if (result.errorCode !== '') return [];
  return readAfter(q, { tenantId, deviceId, pointId, sendTime }, result.responseValue, now);
}

const mismatch = {
  errorCode: 'MISMATCH',
  errorMessage: 'the device accepted the write and holds another value',
};

type Written = {
  requestValue: string | null;
  pointTypeFlag: number | null;
  valueDecimal: number | null;
};

/** Compares by type and decimals at the time of the write; UNVERIFIED if those are unknown. */
function verified(
  { requestValue, pointTypeFlag, valueDecimal }: Written,
  { errorCode }: Result,
  readBack: string | null,
): keyof typeof Verification {
  if (errorCode === 'READ_BACK_INVALID') return 'MISMATCH';
  if (requestValue === null || pointTypeFlag === null || valueDecimal === null) return 'UNVERIFIED';
  const type = nameOf(ValueType, pointTypeFlag);
  return verify({ type, decimals: valueDecimal }, requestValue, readBack);
}

/** Never throws; the next round retries. */
async function sweep(app: App): Promise<void> {
  try {
    for (const kind of kinds)
      for (let round = 0; round < SWEEP_ROUNDS; round += 1) {
        const now = app.clock.now();
        const ended = await acrossTenants(app.db, 'sweeper', (q) => endOverdue(q, kind, now));
        for (const commandId of ended) commandEnded(app, commandId);
        if (ended.length < SWEEP_BATCH) break;
      }
    await sweepEvidence(app);
  } catch (error) {
    app.log.error({ error }, 'overdue commands could not be ended');
  }
}

const kinds = [
  { table: 'svc_point_command_history', key: 'command_id' },
  { table: 'svc_command_history', key: 'record_id' },
] as const;

/** PENDING was never published: EXPIRED. SENT without an answer may have been done: UNKNOWN. */
async function endOverdue(
  q: Queries,
  { table, key }: (typeof kinds)[number],
  now: number,
): Promise<string[]> {
  const { rows } = await sql<{ commandId: string }>`
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
    returning ${sql.ref(`c.${key}`)} as command_id`.execute(q);
  return rows.map(({ commandId }) => commandId);
}
