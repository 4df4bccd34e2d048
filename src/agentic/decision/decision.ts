import { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import { MAX_WAIT_MS, waitForReceipt } from '../../data/command/receipt.ts';
import { Receipt } from '../../data/command/record.ts';
import { demandBus } from '../../data/write/publish.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Conflict, Gone, PreconditionChanged } from '../../kernel/errors.ts';
import { Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit } from '../action/audit.ts';
import { valuesIn } from '../action/card/card.ts';
import {
  ACTION_STATUS,
  type ActionStatus,
  isEnd,
  statusesAllowing,
} from '../action/kind/status.ts';
import { type ActionRow, ActionView, cardOf, requireAction, viewOf } from '../action/view.ts';
import { afterNextChange } from '../action/wait.ts';
import type { Begun } from '../proposal/kind.ts';
import { kindFor } from '../proposal/kinds.ts';
import { type Changed, lock, recheck, type Same, voidIfChanged } from '../proposal/renewal.ts';
import { notifyOutcome } from './notice.ts';
import { followStep } from './send-next.ts';
import { refuseStopped, stopFor } from './stop.ts';

const CONFIRM = 'svc-center-agentic:action:confirm';
const REJECT = 'svc-center-agentic:action:reject';

export const decision = {
  actionId: Uuid.transform((id) => id.toLowerCase()),
  /** Of the card that the human saw; checked by `confirm`, required where `digestRequired` is set. */
  digest: z.string().max(128).optional(),
  comment: Text(512).default(''),
};
export const Confirm = input({
  ...decision,
  waitMs: z.coerce.number().int().min(0).max(MAX_WAIT_MS).default(0),
});
export const Reject = input({ ...decision, reason: Text(512).optional() });

export const Decided = ActionView.extend({
  receipt: Receipt.optional().describe('Of its command, if the answer was to wait for it'),
}).meta({ id: 'DecidedAction' });
type Decided = z.output<typeof Decided>;

type Outcome =
  | { row: ActionRow; commandId: string | null; isNew: boolean; after?: Begun['after'] }
  | Changed;

/**
 * Confirms an action: exactly one effect (a command, of several writes that of the first; a roll-out), with the receipt
 * of a command when `waitMs` is given. Throws Forbidden for any caller but an interactive login, NotFound, Gone (410), Conflict (409),
 * PreconditionChanged (412), Unavailable without the bus.
 */
export const confirm: Operation<z.output<typeof Confirm>, Decided> = async (app, caller, given) => {
  demandPerson(caller, 'decide an action');
  demand(caller, CONFIRM);
  const { tenantId } = caller;
  const outcome = await inTenant(app.db, tenantId, async (q): Promise<Outcome> => {
    const row = await lock(q, tenantId, given.actionId);
    demand(caller, kindFor(cardOf(row)).confirms);
    const view = viewOf(row, app.clock.now());
    if (!mayDecide(view, CONFIRMED)) return { row, commandId: row.commandId, isNew: false };
    const [, checked] = await Promise.all([
      refuseStopped(app, q, row),
      recheck(app, q, row, given.digest),
    ]);
    if ('fresh' in checked) return checked;
    const { commandId, after } = await commit(app, q, caller, row, checked, given);
    return { row, commandId, isNew: true, ...(after && { after }) };
  });
  if ('fresh' in outcome) throw refused(outcome);

  const { row, commandId, isNew, after } = outcome;
  // It is done, whoever hears of it.
  await after?.().catch((error: unknown) =>
    app.log.warn({ error, actionId: row.actionId }, 'what follows a confirmation failed'),
  );
  if (isNew && commandId !== null) {
    app.crashAt('after-confirm');
    const changed = await send(app, caller, row, commandId);
    if (changed) throw refused(changed);
  }
  return row.steps
    ? answeredOfSteps(app, caller, given)
    : answered(app, caller, { ...given, commandId });
};

/** Rejects an action: no command is issued. Throws like `confirm`, without 412 and 503. */
export const reject: Operation<z.output<typeof Reject>, Decided> = async (app, caller, given) => {
  demandPerson(caller, 'decide an action');
  demand(caller, REJECT);
  const { tenantId } = caller;
  const rejected = await inTenant(app.db, tenantId, async (q) => {
    const row = await lock(q, tenantId, given.actionId);
    const view = viewOf(row, app.clock.now());
    if (!mayDecide(view, ['REJECTED'])) return row;
    const [, ended] = await Promise.all([
      decide(app, q, caller, row, 'reject', { comment: given.reason ?? given.comment }),
      requireAction(q, tenantId, given.actionId),
    ]);
    return ended;
  });
  app.crashAt('after-reject');
  await notifyOutcome(app, rejected);
  return viewOf(rejected, app.clock.now());
};

/** Status of an action after a confirmation; confirming again answers it unchanged. */
const CONFIRMED = ['CONFIRMED', 'EXECUTED', 'MISMATCH', 'FAILED', 'UNKNOWN'] as const;

/** True for a pending action, false for a repeat of the same decision; else throws Gone or Conflict. */
function mayDecide(view: ActionView, repeated: readonly ActionStatus[]): boolean {
  if (view.pendingConfirmation) return true;
  if (repeated.includes(view.status)) return false;
  const facts = { actionId: view.actionId, status: view.status };
  if (view.status === 'EXPIRED') throw new Gone('The action has expired', facts);
  throw new Conflict(`The action is already ${view.status}`, facts);
}

const refused = ({ fresh, why, changes }: Changed): PreconditionChanged =>
  new PreconditionChanged(why, { card: fresh, changes });

type Confirmed = { actionId: string; commandId: string | null; waitMs: number };

/** The action after waiting up to `waitMs` for the end of its command. */
async function answered(
  app: App,
  caller: Caller,
  { actionId, commandId, waitMs }: Confirmed,
): Promise<Decided> {
  const { tenantId } = caller;
  const receipt =
    commandId && waitMs > 0 ? await waitForReceipt(app, caller, { commandId, waitMs }) : undefined;
  const row = await inOneTrip(app.db, tenantId, (q) => requireAction(q, tenantId, actionId));
  const view = viewOf(row, app.clock.now());
  if (receipt || isEnd(view.status)) await notifyOutcome(app, row);
  return { ...view, ...(receipt ? { receipt } : {}) };
}

/** The action after waiting up to `waitMs` for the end of its writes. */
async function answeredOfSteps(
  app: App,
  caller: Caller,
  { actionId, waitMs }: Omit<Confirmed, 'commandId'>,
): Promise<Decided> {
  // It is confirmed, whatever becomes of the wait.
  await afterNextChange(app, caller, { actionId, waitMs }).catch((error: unknown) =>
    app.log.warn({ error, actionId }, 'the end of confirmed writes could not be waited for'),
  );
  const { tenantId } = caller;
  const row = await inOneTrip(app.db, tenantId, (q) => requireAction(q, tenantId, actionId));
  const view = viewOf(row, app.clock.now());
  if (isEnd(view.status)) await notifyOutcome(app, row);
  return view;
}

/** A standing approval that decides, and how many uses it then has left. */
type Beforehand = { approvalId: string; left: number };

/**
 * Stores a confirmation by `caller` with its effect; answers the id of the command, which `send` is to be called for
 * after the commit, null for none, and what else follows it. Throws Conflict, Unavailable without the bus.
 */
export async function commit(
  app: App,
  q: Queries,
  caller: Caller,
  row: ActionRow,
  { made, moved }: Same,
  { comment, beforehand }: { comment: string; beforehand?: Beforehand },
): Promise<Omit<Begun, 'stored'>> {
  const { tenantId, actionId, userId, clientId } = row;
  if (!kindFor(made.card).isImmediate) demandBus(app);
  const now = app.clock.now();
  const proposal = { tenantId, actionId, userId, clientId, isOfSteps: row.steps !== null };
  const { commandId, stored, after } = made.begin(app, q, { caller, proposal, now });
  await Promise.all([
    decide(app, q, caller, row, 'confirm', { comment, commandId, moved, beforehand }),
    stored,
  ]);
  return { commandId, ...(after && { after }) };
}

type Decision = {
  comment: string;
  commandId?: string | null;
  moved?: string;
  beforehand?: Beforehand | undefined;
};

/**
 * Stores the decision in one update, conditional on status, expiry and digest, with its audit; throws Conflict, and
 * the transaction must then be rolled back.
 */
async function decide(
  app: App,
  q: Queries,
  caller: Caller,
  row: ActionRow,
  event: 'confirm' | 'reject',
  { comment, commandId, moved = '', beforehand }: Decision,
): Promise<void> {
  const at = new Date(app.clock.now());
  const { CONFIRMED: SENT, EXECUTED, REJECTED } = ACTION_STATUS;
  const confirmed = kindFor(cardOf(row)).isImmediate ? EXECUTED : SENT;
  const [decided] = await Promise.all([
    q
      .updateTable('svc_action')
      .set({
        status: event === 'confirm' ? confirmed : REJECTED,
        decidedBy: caller.principalId,
        decidedName: caller.name,
        decidedTime: at,
        operateTime: at,
        comment,
        commandId: commandId ?? null,
        description: moved,
        approvalId: beforehand?.approvalId ?? null,
        approvalLeft: beforehand?.left ?? null,
      })
      .where('tenantId', '=', caller.tenantId)
      .where('actionId', '=', row.actionId)
      .where('status', 'in', statusesAllowing(event))
      .where('expireTime', '>', at)
      .where('digest', '=', row.digest)
      .returning('id')
      .executeTakeFirst(),
    audit(q, caller, {
      action: `action:${event}`,
      actionId: row.actionId,
      title: row.title,
      detail: {
        digest: row.digest,
        value: valuesIn(cardOf(row)),
        comment,
        moved,
        ...(commandId != null && { commandId }),
        ...beforehand,
      },
      at,
    }),
  ]);
  if (!decided) throw new Conflict('The action was decided at the same moment');
}

/**
 * Publishes the command within its validity; a command that certainly did not go out ends FAILED or EXPIRED
 * (docs/specification/commands.md, Not sent), and its action FAILED. A command with a changed effect is not
 * sent, and the confirmation is void; so it is where a switch or `heldBack` says why it must not be sent.
 */
export async function send(
  app: App,
  caller: Caller,
  row: ActionRow,
  commandId: string,
  heldBack: (q: Queries) => Promise<string | null> = async () => null,
): Promise<Changed | null> {
  const { tenantId, actionId } = row;
  const { send: sendIt } = kindFor(cardOf(row));
  if (sendIt === null) return null;
  if (row.steps) followStep(app, { tenantId, actionId }, commandId);
  const found: { changed: Changed | null } = { changed: null };
  try {
    await sendIt(app, { tenantId, commandId }, async (q, reason) => {
      const why = Promise.all([stopFor(app, q, row), heldBack(q)]).then(
        ([stop, held]) => reason ?? stop ?? held,
      );
      found.changed = await voidIfChanged(app, q, caller, { actionId, commandId, reason: why });
      return found.changed && found.changed.why;
    });
    return found.changed;
  } catch (error) {
    app.log.error({ error, tenantId, commandId }, 'confirmed command not dispatched');
    return null;
  }
}
