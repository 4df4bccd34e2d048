import type { z } from 'zod';

import { demand } from '../../auth/permission/permission.ts';
import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { Conflict, Forbidden, Gone } from '../../kernel/errors.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit } from '../action/audit.ts';
import { valuesIn } from '../action/card/card.ts';
import { ACTION_STATUS, statusesAllowing } from '../action/kind/status.ts';
import { type ActionView, cardOf, requireAction, viewOf } from '../action/view.ts';
import { kindFor } from '../proposal/kinds.ts';
import { lock } from '../proposal/renewal.ts';
import { decision } from './decision.ts';
import { notifyOutcome } from './notice.ts';

export const Withdraw = input({ actionId: decision.actionId, reason: Text(512).default('') });

/**
 * The proposer withdraws an own proposal while it is pending; a repeat answers the same. Throws NotFound,
 * Forbidden for another principal's proposal, Gone (410), Conflict (409).
 */
export const withdraw: Operation<z.output<typeof Withdraw>, ActionView> = async (
  app,
  caller,
  { actionId, reason },
) => {
  const { tenantId } = caller;
  const withdrawn = await inTenant(app.db, tenantId, async (q) => {
    const row = await lock(q, tenantId, actionId);
    if (row.userId !== caller.principalId)
      throw new Forbidden('Only its proposer may withdraw an action');
    demand(caller, kindFor(cardOf(row)).proposes);
    const at = new Date(app.clock.now());
    const view = viewOf(row, at.getTime());
    if (view.status === 'WITHDRAWN') return row;
    const facts = { actionId, status: view.status };
    if (view.status === 'EXPIRED') throw new Gone('The action has expired', facts);
    if (!view.pendingConfirmation)
      throw new Conflict(`The action is already ${view.status}`, facts);
    const [, , ended] = await Promise.all([
      q
        .updateTable('svc_action')
        .set({
          status: ACTION_STATUS.WITHDRAWN,
          decidedBy: caller.principalId,
          decidedName: caller.name,
          decidedTime: at,
          operateTime: at,
          comment: reason,
        })
        .where('tenantId', '=', tenantId)
        .where('actionId', '=', actionId)
        .where('status', 'in', statusesAllowing('withdraw'))
        .execute(),
      audit(q, caller, {
        action: 'action:withdraw',
        actionId,
        title: row.title,
        detail: { digest: row.digest, value: valuesIn(cardOf(row)), reason },
        at,
      }),
      requireAction(q, tenantId, actionId),
    ]);
    return ended;
  });
  await notifyOutcome(app, withdrawn);
  return viewOf(withdrawn, app.clock.now());
};
