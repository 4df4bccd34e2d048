import { randomUUID } from 'node:crypto';

import { stillHolds } from '../../auth/permission/still-holds.ts';
import { onCommandEnded } from '../../data/command/receipt.ts';
import { CommandStatus, Verification } from '../../data/command/state.ts';
import { dispatch } from '../../data/write/dispatch.ts';
import { insertWrite } from '../../data/write/dispatch.ts';
import type { CheckedWrite } from '../../data/write/write-check.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { auditBySystem } from '../action/audit.ts';
import { writesOf } from '../action/card/card.ts';
import { changesOfWrite } from '../action/card/change.ts';
import { ACTION_STATUS, statusesAllowing, statusNow } from '../action/kind/status.ts';
import { type ActionRow, cardOf } from '../action/view.ts';
import { lock } from '../proposal/renewal.ts';
import { giveCommand, hasMoreSteps, makeWrite } from '../proposal/write.ts';
import { stopFor } from './stop.ts';

/** What a person confirmed is not sent later than this after the decision, whatever happened meanwhile. */
const SENT_WITHIN_MS = 600_000;
/** A command ends within this time; after it the sweeper alone goes on. */
const FOLLOWED_MS = 20_000;
const BATCH = 100;
const WRITE = 'svc-center-data:point_command:write';

type Which = { tenantId: string; actionId: string };

/** Runs of this process; the sweeper waits for them when it stops. */
export const STEPS_UNDER_WAY = slot(() => new Set<Promise<void>>());

/** Sends the next write as soon as the command ends in this process; the sweeper does it for all others. */
export function followStep(app: App, which: Which, commandId: string): void {
  const leave = app.clock.after(FOLLOWED_MS, () => unlisten());
  const unlisten = onCommandEnded(app, commandId, () => {
    leave();
    unlisten();
    const run = sendNext(app, which).finally(() => app.of(STEPS_UNDER_WAY).delete(run));
    app.of(STEPS_UNDER_WAY).add(run);
  });
}

/** Sends the next write of each confirmed action, of all tenants, that has one left and a verified last command; for the sweeper. */
export async function sendAllNext(app: App): Promise<void> {
  const found = await acrossTenants(app.db, 'sweeper', (q) =>
    q
      .selectFrom('svc_action')
      .innerJoin('svc_point_command_history as command', (join) =>
        join
          .onRef('command.commandId', '=', 'svc_action.commandId')
          .onRef('command.tenantId', '=', 'svc_action.tenantId'),
      )
      .select(['svc_action.tenantId', 'svc_action.actionId'])
      .where('svc_action.status', '=', ACTION_STATUS.CONFIRMED)
      .where('command.status', '=', CommandStatus.SUCCESS)
      .where('command.verification', '=', Verification.VERIFIED)
      .where('command.settledTime', 'is', null)
      .where(hasMoreSteps)
      .orderBy('svc_action.operateTime')
      .limit(BATCH)
      .execute(),
  );
  for (const which of found) await sendNext(app, which);
}

/**
 * Sends the next write of a confirmed action if the one before is verified, and only then; else it does nothing. A write
 * that is not the confirmed one any more ends the action. Never throws; the sweeper repeats what failed.
 */
async function sendNext(app: App, which: Which): Promise<void> {
  try {
    app.crashAt('after-step');
    const claimed = await inTenant(app.db, which.tenantId, (q) => claim(app, q, which));
    if (claimed === null) return;
    const { commandId, row } = claimed;
    app.crashAt('before-next-step');
    followStep(app, which, commandId);
    // It compares the effect once more; what it does not send ends FAILED, and the action with it.
    await dispatch(
      app,
      { tenantId: which.tenantId, commandId },
      async (q, reason) => reason ?? (await stopFor(app, q, row)),
    );
  } catch (error) {
    app.log.error({ error, ...which }, 'the next write of an action was not sent, retrying');
  }
}

type Claimed = { commandId: string; row: ActionRow };

/** Under the row lock of the action: the command of the next write, pending; null if there is nothing to send. */
async function claim(app: App, q: Queries, which: Which): Promise<Claimed | null> {
  const row = await lock(q, which.tenantId, which.actionId);
  const now = app.clock.now();
  const index = row.steps?.findIndex(({ commandId }) => commandId === null) ?? -1;
  if (index < 0 || !isVerified(row, now)) return null;
  const next = await recheck(app, q, row, index, now);
  if (typeof next === 'string') {
    await stop(q, row, { step: index + 1, refusal: next, at: new Date(now) });
    return null;
  }
  const commandId = randomUUID();
  if (!(await giveCommand(q, which, { step: index + 1, commandId }))) return null;
  const caller = { tenantId: which.tenantId, principalId: row.decidedBy };
  const source = 'AGENTIC';
  const { actionId } = which;
  await Promise.all([
    insertWrite(q, { caller, ...next, source, actionId, commandId, now }),
    q
      .updateTable('svc_action')
      .set({ commandId, operateTime: new Date(now) })
      .where('tenantId', '=', which.tenantId)
      .where('actionId', '=', actionId)
      .execute(),
  ]);
  return { commandId, row };
}

/** Whether the action is under way although its last command has ended: that was verified. */
const isVerified = (row: ActionRow, now: number): boolean =>
  statusNow(row, now) === 'CONFIRMED' && row.commandStatus === CommandStatus.SUCCESS;

/** The write as it was confirmed, or why it is not sent. */
async function recheck(
  app: App,
  q: Queries,
  row: ActionRow,
  index: number,
  now: number,
): Promise<CheckedWrite | string> {
  const { tenantId, actionId } = row;
  const card = cardOf(row);
  const confirmed = writesOf(card)[index];
  const decidedAt = row.decidedTime?.getTime() ?? 0;
  if (!confirmed || now > decidedAt + SENT_WITHIN_MS)
    return 'ten minutes have passed since it was confirmed';
  const { deviceId, pointId, proposedValue: value } = confirmed;
  const holds = (principalId: string) => stillHolds(q, { tenantId, principalId, code: WRITE }, now);
  const [stopped, mayPropose, mayConfirm, made] = await Promise.all([
    stopFor(app, q, row),
    holds(card.proposerId),
    holds(row.decidedBy),
    makeWrite(app, q, { tenantId, actionId, write: { deviceId, pointId, value }, now }).catch(
      messageOf,
    ),
  ]);
  if (stopped !== null) return stopped;
  if (!mayPropose) return 'its proposer is disabled, gone or may no longer propose writes';
  if (!mayConfirm) return 'the person that confirmed it is disabled, gone or may no longer write';
  if (typeof made === 'string') return made;
  const changes = changesOfWrite(confirmed, made.card);
  return changes.length === 0 ? made.checked : changes.join('; ');
}

function messageOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  throw error;
}

/** Ends the action before a step: this one and those after it are not sent. */
async function stop(
  q: Queries,
  { tenantId, actionId, title }: ActionRow,
  { step, refusal, at }: { step: number; refusal: string; at: Date },
): Promise<void> {
  await Promise.all([
    q
      .updateTable('svc_action_step')
      .set({ refusal: refusal.slice(0, 1_024) })
      .where('tenantId', '=', tenantId)
      .where('actionId', '=', actionId)
      .where('step', '=', step)
      .execute(),
    q
      .updateTable('svc_action')
      .set({ status: ACTION_STATUS.FAILED, operateTime: at })
      .where('tenantId', '=', tenantId)
      .where('actionId', '=', actionId)
      .where('status', 'in', statusesAllowing('fail'))
      .execute(),
    auditBySystem(q, tenantId, {
      action: 'action:stop',
      actionId,
      title,
      detail: { step, refusal },
      at,
    }),
  ]);
}
