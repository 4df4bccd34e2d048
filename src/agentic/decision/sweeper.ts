import { dropRead } from '../../auth/agent/read-texts.ts';
import { dropOldUsage } from '../../auth/agent/usage-store.ts';
import { CommandStatus, isTerminal } from '../../data/command/state.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { startSweeper } from '../../kernel/app/sweeper.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { dropOldSteps } from '../accounting/record.ts';
import { dropOldKeys } from '../action/key.ts';
import { ACTION_STATUS, endOf, statusesAllowing, statusesBefore } from '../action/kind/status.ts';
import { hasMoreSteps } from '../proposal/write.ts';
import { dropHandles } from '../session/handle.ts';
import { endRollouts } from './end-rollouts.ts';
import { noteEvidence } from './evidence.ts';
import { notifyAllOutcomes } from './notice.ts';
import { sendAllNext, STEPS_UNDER_WAY } from './send-next.ts';

const EVERY_MS = 5_000;
const STEPS_EVERY_MS = 1_000;
const BATCH = 500;
const ENDED = Object.values(CommandStatus).filter((status) =>
  isTerminal(nameOf(CommandStatus, status)),
);

/**
 * Stores expired pending actions as EXPIRED, drops what agents used longer ago than it counts, stores the end of a command with its confirmed action, and readings
 * of unknown writes; then writes the missing receipts. Every second it sends the next writes of proposals of several, where
 * the process that ended the one before has not. Until stopped; `stop` waits for what is under way.
 */
export function startActionSweeper(app: App): { stop(): Promise<void> } {
  const failed = 'action sweep failed, retrying';
  const actions = startSweeper(app, { everyMs: EVERY_MS, failed }, () => sweepAndTell(app));
  const steps = startSweeper(
    app,
    { everyMs: STEPS_EVERY_MS, failed: 'sweep of confirmed writes failed, retrying' },
    () => sendAllNext(app),
  );
  return {
    async stop() {
      await Promise.all([actions.stop(), steps.stop(), ...app.of(STEPS_UNDER_WAY)]);
    },
  };
}

async function sweepAndTell(app: App): Promise<void> {
  await sweep(app);
  await endRollouts(app);
  await noteEvidence(app);
  await notifyAllOutcomes(app);
}

async function sweep(app: App): Promise<void> {
  const now = new Date(app.clock.now());
  await acrossTenants(app.db, 'sweeper', async (q) => {
    await dropOldKeys(q, now.getTime());
    await dropRead(q, now.getTime());
    await dropHandles(q, now.getTime());
    await dropOldUsage(q, now.getTime());
    await dropOldSteps(q, now.getTime());
    await q
      .updateTable('svc_action')
      .set({ status: ACTION_STATUS.EXPIRED, operateTime: now })
      .where('id', 'in', (open) =>
        open
          .selectFrom('svc_action')
          .select('id')
          .where('status', '=', ACTION_STATUS.PENDING)
          .where('expireTime', '<=', now)
          .orderBy('expireTime')
          .limit(BATCH),
      )
      // A decision may be committed between the inner and the outer statement.
      .where('status', 'in', statusesAllowing('expire'))
      .execute();
    const ended = await q
      .selectFrom('svc_action')
      .innerJoin('svc_point_command_history as command', (join) =>
        join
          .onRef('command.commandId', '=', 'svc_action.commandId')
          .onRef('command.tenantId', '=', 'svc_action.tenantId'),
      )
      .select(['svc_action.id', 'command.status', 'command.verification', 'command.settledTime'])
      .select(hasMoreSteps.as('hasMore'))
      .where('svc_action.status', '=', ACTION_STATUS.CONFIRMED)
      .where('command.status', 'in', ENDED)
      .orderBy('svc_action.operateTime')
      .limit(BATCH)
      .execute();
    for (const [end, rows] of Map.groupBy(ended, (one) => endOf(one, !one.hasMore))) {
      if (end === null) continue;
      await q
        .updateTable('svc_action')
        .set({ status: ACTION_STATUS[end], operateTime: now })
        .where(
          'id',
          'in',
          rows.map(({ id }) => id),
        )
        .where('status', 'in', statusesBefore(end))
        .execute();
    }
  });
}
