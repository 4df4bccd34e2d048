import { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import { waitForReceipt } from '../../data/command/receipt.ts';
import { Receipt } from '../../data/command/record.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Conflict, Gone, PreconditionChanged } from '../../kernel/errors.ts';
import { Uuid } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { type ActionStatus, isEnd } from '../action/kind/status.ts';
import { type ActionRow, ActionView, cardOf, requireAction, viewOf } from '../action/view.ts';
import { afterNextChange } from '../action/wait.ts';
import { kindFor } from '../proposal/kinds.ts';
import { type Changed, lock, recheck } from '../proposal/renewal.ts';
import { commit, decide, send } from './commit.ts';
import { notifyOutcome } from './notice.ts';
import { refuseStopped } from './stop.ts';

const CONFIRM = 'svc-center-agentic:action:confirm';
const REJECT = 'svc-center-agentic:action:reject';
const MAX_WAIT_MS = 15_000;

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

type Outcome = { row: ActionRow; commandId: string | null; isNew: boolean } | Changed;

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
    const commandId = await commit(app, q, caller, row, checked, given);
    return { row, commandId, isNew: true };
  });
  if ('fresh' in outcome) throw refused(outcome);

  const { row, commandId, isNew } = outcome;
  if (isNew && commandId !== null) {
    app.crashAt('after-confirm');
    const changed = await send(app, caller, row, commandId);
    if (changed) throw refused(changed);
  }
  return row.steps ? toldOfSteps(app, caller, given) : told(app, caller, { ...given, commandId });
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
async function told(
  app: App,
  caller: Caller,
  { actionId, commandId, waitMs }: Confirmed,
): Promise<Decided> {
  const { tenantId } = caller;
  const receipt =
    commandId && waitMs > 0 ? await waitForReceipt(app, caller, { commandId, waitMs }) : undefined;
  const row = await inOneTrip(app.db, tenantId, (q) => requireAction(q, tenantId, actionId));
  if (receipt) await notifyOutcome(app, row);
  return { ...viewOf(row, app.clock.now()), ...(receipt ? { receipt } : {}) };
}

/** The action after waiting up to `waitMs` for the end of its writes. */
async function toldOfSteps(
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
