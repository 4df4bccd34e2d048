import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { demand } from '../../auth/rights/permission.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import { AppError, Conflict, Gone, PreconditionChanged } from '../../core/errors.ts';
import { Uuid } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { Text } from '../../core/input/text.ts';
import { demandBus } from '../../data/command/command-publish.ts';
import type { Receipt } from '../../data/command/command-record.ts';
import { dispatch, insertWrite } from '../../data/command/point-command.ts';
import { waitForReceipt } from '../../data/command/receipt.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import { audit } from './action-audit.ts';
import { type Card, differs, digestOf } from './action-card.ts';
import { ACTION_STATUS, type ActionStatus, statusesAllowing } from './action-status.ts';
import { type ActionRow, type ActionView, cardOf, requireAction, viewOf } from './action-view.ts';
import { type CheckedWrite, makeCard } from './action.ts';
import { tellEnd } from './receipt-told.ts';

const CONFIRM = 'svc-center-agentic:action:confirm';
const REJECT = 'svc-center-agentic:action:reject';
const WRITE = 'svc-center-data:point_command:write';
const MAX_WAIT_MS = 15_000;

const decision = {
  actionId: Uuid.transform((id) => id.toLowerCase()),
  /** Of the card the human saw: another card is not confirmed. Only the first card needs none. */
  digest: z.string().max(128).optional(),
  comment: Text(512).default(''),
};
export const Confirm = input({
  ...decision,
  waitMs: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(0),
});
export const Reject = input({ ...decision, reason: Text(512).optional() });

export type Decided = ActionView & { receipt?: Receipt };

/** What one transaction found: `fresh` carries why the human has to look again. */
type Outcome = { view: ActionView; commandId?: string } | Changed;
type Changed = { fresh: ActionView; why: string };

/**
 * A human confirms: exactly one command, with a receipt when `waitMs` is given. Throws Forbidden for
 * any caller but an interactive login, NotFound, Gone (410), Conflict (409), PreconditionChanged (412).
 */
export const confirm: Operation<z.output<typeof Confirm>, Decided> = async (app, caller, given) => {
  demandPerson(caller, 'decide an action');
  demand(caller, CONFIRM);
  demand(caller, WRITE);
  const { tenantId } = caller;
  const outcome = await inTenant(app.db, tenantId, async (q): Promise<Outcome> => {
    const row = await lock(q, tenantId, given.actionId);
    const view = viewOf(row, app.clock.now());
    if (!mayDecide(view, CONFIRMED)) return { view };
    const checked = await recheck(app, q, row, given.digest);
    return 'fresh' in checked ? checked : commit(app, q, caller, row, checked, given.comment);
  });
  if ('fresh' in outcome) throw new PreconditionChanged(outcome.why, { card: outcome.fresh });

  if (outcome.commandId !== undefined) {
    app.crashAt('after-confirm');
    await send(app, outcome.commandId);
  }
  return told(app, caller, outcome.view, given.waitMs);
};

/** A human rejects: no command is issued. Throws like `confirm`, without 412. */
export const reject: Operation<z.output<typeof Reject>, Decided> = async (app, caller, given) => {
  demandPerson(caller, 'decide an action');
  demand(caller, REJECT);
  const { tenantId } = caller;
  const rejected = await inTenant(app.db, tenantId, async (q) => {
    const row = await lock(q, tenantId, given.actionId);
    const view = viewOf(row, app.clock.now());
    if (!mayDecide(view, ['REJECTED'])) return view;
    await decide(app, q, caller, row, 'reject', { comment: given.reason ?? given.comment });
    return viewOf(await requireAction(q, tenantId, given.actionId), app.clock.now());
  });
  app.crashAt('after-reject');
  await tellEnd(app, tenantId, given.actionId);
  return rejected;
};

/** Who may confirm (DESIGN.md, Settled questions): never a token, a service account or a model. */
/** Waits for any other decision of this action to end, so that each sees the one before it. */
async function lock(q: Queries, tenantId: string, actionId: string): Promise<ActionRow> {
  await q
    .selectFrom('svc_action')
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('actionId', '=', actionId)
    .forUpdate()
    .executeTakeFirst();
  return requireAction(q, tenantId, actionId);
}

/** What a confirmed action is or leads to. */
const CONFIRMED = ['CONFIRMED', 'EXECUTED', 'MISMATCH', 'FAILED', 'UNKNOWN'] as const;

/** True while it is open, false for the same decision again; throws for expired and decided otherwise. */
function mayDecide(view: ActionView, repeated: readonly ActionStatus[]): boolean {
  if (view.pendingConfirmation) return true;
  if (repeated.includes(view.status)) return false;
  const facts = { actionId: view.actionId, status: view.status };
  if (view.status === 'EXPIRED') throw new Gone('The action has expired', facts);
  throw new Conflict(`The action is already ${view.status}`, facts);
}

/** Checks the world against the card; where they differ, the action gets a fresh card and stays open. */
async function recheck(
  app: App,
  q: Queries,
  row: ActionRow,
  digest: string | undefined,
): Promise<CheckedWrite | Changed> {
  const old = cardOf(row);
  const now = app.clock.now();
  const made = await remake(q, row, now);
  if (typeof made === 'string') return { fresh: viewOf(row, now), why: made };

  const card = { ...made.card, expiresAt: old.expiresAt };
  const hasMoved = differs(card.currentValue, old.currentValue, made.checked.point.valueDecimal);
  if (hasMoved || SHOWN.some((key) => card[key] !== old[key])) {
    await q
      .updateTable('svc_action')
      .set({
        payload: JSON.stringify(card),
        digest: digestOf(card),
        digestRequired: true,
        operateTime: new Date(now),
      })
      .where('tenantId', '=', row.tenantId)
      .where('actionId', '=', row.actionId)
      .where('status', 'in', statusesAllowing('confirm'))
      .execute();
    const why = 'What the action was proposed for has changed since; confirm the fresh card';
    return { fresh: viewOf(await requireAction(q, row.tenantId, row.actionId), now), why };
  }
  if (digest === row.digest || (digest === undefined && !row.digestRequired)) return made.checked;
  const why =
    digest === undefined
      ? 'The card was renewed; confirm it with its digest'
      : 'The digest is not that of the current card';
  return { fresh: viewOf(row, now), why };
}

/** Besides the current value: what the human relied on when saying yes. */
const SHOWN = [
  'proposedValue',
  'unit',
  'deviceName',
  'pointName',
] as const satisfies (keyof Card)[];

/** The write as it would be proposed now, or why it would be refused now. */
async function remake(q: Queries, row: ActionRow, now: number) {
  const { actionId, tenantId } = row;
  const { deviceId, pointId, proposedValue, proposerId, proposerName } = cardOf(row);
  try {
    const proposer = { tenantId, principalId: proposerId, name: proposerName };
    return await makeCard(q, proposer, { actionId, deviceId, pointId, value: proposedValue, now });
  } catch (error) {
    if (error instanceof AppError) return `The write is no longer allowed: ${error.message}`;
    throw error;
  }
}

async function commit(
  app: App,
  q: Queries,
  caller: Caller,
  row: ActionRow,
  checked: CheckedWrite,
  comment: string,
): Promise<Outcome> {
  const { tenantId, actionId } = row;
  demandBus(app);
  const commandId = randomUUID();
  const now = app.clock.now();
  await decide(app, q, caller, row, 'confirm', { comment, commandId });
  await insertWrite(q, { caller, ...checked, source: 'AGENTIC', actionId, commandId, now });
  return { view: viewOf(await requireAction(q, tenantId, actionId), now), commandId };
}

/** The one statement that decides; the row's status and time are its conditions. */
async function decide(
  app: App,
  q: Queries,
  caller: Caller,
  row: ActionRow,
  event: 'confirm' | 'reject',
  { comment, commandId = null }: { comment: string; commandId?: string | null },
): Promise<void> {
  const at = new Date(app.clock.now());
  const decided = await q
    .updateTable('svc_action')
    .set({
      status: event === 'confirm' ? ACTION_STATUS.CONFIRMED : ACTION_STATUS.REJECTED,
      decidedBy: caller.principalId,
      decidedName: caller.name,
      decidedTime: at,
      operateTime: at,
      comment,
      commandId,
    })
    .where('tenantId', '=', caller.tenantId)
    .where('actionId', '=', row.actionId)
    .where('status', 'in', statusesAllowing(event))
    .where('expireTime', '>', at)
    .where('digest', '=', row.digest)
    .returning('id')
    .executeTakeFirst();
  if (!decided) throw new Conflict('The action was decided at the same moment');
  await audit(q, caller, {
    action: `action:${event}`,
    actionId: row.actionId,
    title: row.title,
    detail: { digest: row.digest, value: cardOf(row).proposedValue, comment, commandId },
    at,
  });
}

/** Never sent late: what cannot be published now ends EXPIRED with its command (SPEC.md, Command). */
async function send(app: App, commandId: string): Promise<void> {
  try {
    await dispatch(app, commandId);
  } catch (error) {
    app.log.error({ error, commandId }, 'a confirmed command could not be published');
  }
}

/** The action as it is after the command had `waitMs` to end. */
async function told(app: App, caller: Caller, view: ActionView, waitMs: number): Promise<Decided> {
  const { actionId, commandId } = view;
  const receipt =
    commandId && waitMs > 0 ? await waitForReceipt(app, caller, { commandId, waitMs }) : undefined;
  if (receipt) await tellEnd(app, caller.tenantId, actionId);
  const now = await inTenant(app.db, caller.tenantId, (q) =>
    requireAction(q, caller.tenantId, actionId),
  );
  return { ...viewOf(now, app.clock.now()), ...(receipt ? { receipt } : {}) };
}
