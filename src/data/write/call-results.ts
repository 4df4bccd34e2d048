import type { Payload } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { storable } from '../../kernel/input/text.ts';
import { commandEnded, countEnd } from '../command/receipt.ts';
import { allowing, answers, CommandStatus, transitions } from '../command/state.ts';
import { waits } from './waits.ts';

type Message = Payload<'svc.e.command_result'>;
type Result = Message & { status: keyof typeof answers };

const PREFETCH = 10;

/** Ends calls of custom commands by the driver's answer; the sweeper ends unanswered ones. */
export async function startCallResults(app: App): Promise<{ stop(): Promise<void> }> {
  const subscription = await app.bus.subscribe(
    'svc.e.command_result',
    { queue: 'svc.q.command_result', key: '#', prefetch: PREFETCH },
    async (result) => {
      const { recordId, tenantId, status } = result;
      if (status === 'WAITING')
        return waits(app, 'svc_command_history', { tenantId, id: recordId });
      const ended = await inTenant(app.db, tenantId, (q) =>
        apply(q, { ...result, status }, app.clock.now()),
      );
      if (ended) {
        countEnd(app, 'call', transitions.SENT[answers[status]] ?? 'UNKNOWN');
        commandEnded(app, recordId);
      } else
        app.log.warn({ recordId, tenantId, status }, 'answer to an unknown or ended call ignored');
    },
  );
  return { stop: () => subscription.cancel() };
}

/** One conditional UPDATE decides between answers and the sweeper; false if the call has already ended. */
async function apply(q: Queries, result: Result, now: number): Promise<boolean> {
  const { askedMs } = result;
  const event = answers[result.status];
  const { numUpdatedRows } = await q
    .updateTable('svc_command_history')
    .set({
      status: CommandStatus[transitions.SENT[event] ?? 'UNKNOWN'],
      resultValues: JSON.stringify(storableEntries(result.resultValues)),
      errorCode: storable(result.errorCode),
      errorMessage: storable(result.errorMessage),
      finishTime: new Date(now),
      operateTime: new Date(now),
      ...(askedMs !== undefined && { sendTime: new Date(now - askedMs) }),
    })
    .where('tenantId', '=', result.tenantId)
    .where('recordId', '=', result.recordId)
    .where('status', 'in', allowing(event))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Names and values of an answer as jsonb stores them. */
const storableEntries = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [storable(name), storable(value)]),
  );
