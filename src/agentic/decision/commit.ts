import { demandBus } from '../../data/write/publish.ts';
import type { Queries } from '../../db/connect.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { Conflict } from '../../kernel/errors.ts';
import { audit } from '../action/audit.ts';
import { valuesIn } from '../action/card/card.ts';
import { ACTION_STATUS, statusesAllowing } from '../action/kind/status.ts';
import { type ActionRow, cardOf } from '../action/view.ts';
import { kindFor } from '../proposal/kinds.ts';
import { type Changed, type Same, voidIfChanged } from '../proposal/renewal.ts';
import { followStep } from './send-next.ts';
import { stopFor } from './stop.ts';

/** A standing approval that decides, and how many uses it then has left. */
export type Beforehand = { approvalId: string; left: number };

/**
 * Stores a confirmation by `caller` with its effect; answers the id of the command, which `send` is to be called for
 * after the commit, null for none. Throws Conflict, Unavailable without the bus.
 */
export async function commit(
  app: App,
  q: Queries,
  caller: Caller,
  row: ActionRow,
  { made, moved }: Same,
  { comment, beforehand }: { comment: string; beforehand?: Beforehand },
): Promise<string | null> {
  const { tenantId, actionId, userId, clientId } = row;
  demandBus(app);
  const now = app.clock.now();
  const proposal = { tenantId, actionId, userId, clientId, isOfSteps: row.steps !== null };
  const { commandId, stored } = made.begin(app, q, { caller, proposal, now });
  await Promise.all([
    decide(app, q, caller, row, 'confirm', { comment, commandId, moved, beforehand }),
    stored,
  ]);
  return commandId;
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
export async function decide(
  app: App,
  q: Queries,
  caller: Caller,
  row: ActionRow,
  event: 'confirm' | 'reject',
  { comment, commandId, moved = '', beforehand }: Decision,
): Promise<void> {
  const at = new Date(app.clock.now());
  const [decided] = await Promise.all([
    q
      .updateTable('svc_action')
      .set({
        status: event === 'confirm' ? ACTION_STATUS.CONFIRMED : ACTION_STATUS.REJECTED,
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
