import { z } from 'zod';

import { counted } from '../../auth/agent/budget.ts';
import { stopOf } from '../../auth/connection/stop.ts';
import { stopWords } from '../../auth/permission/mode.ts';
import { demand } from '../../auth/permission/permission.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { chosen } from '../../manager/firmware/chosen-devices.ts';
import { waves } from '../../manager/firmware/start.ts';
import { ActionView } from '../action/view.ts';
import { askedOf } from '../proposal/kinds.ts';
import { type ActionCard, type Proposal, propose } from './action.ts';

const forDecision = {
  reason: Text(200).default('').describe('Why, for the person that decides'),
  idempotencyKey: Text(64)
    .min(1)
    .optional()
    .describe('For 24 h, the same key answers the same proposal'),
};

export const ProposeFirmware = input({ packageId: Id, ...chosen, ...waves, ...forDecision });

export const Proposed = ActionView.extend({
  repeated: z.boolean().describe('It was proposed before; nothing new was made'),
}).meta({ id: 'ProposedAction' });

/**
 * Proposes a roll-out of firmware over REST. Throws like `propose`; Forbidden while agents are stopped, TooManyRequests
 * beyond the budget of proposals.
 */
export const proposeFirmware: Operation<z.output<typeof ProposeFirmware>, ActionCard> = (
  app,
  caller,
  { reason, idempotencyKey, ...rollout },
) => asAgent(app, caller, { rollout, reason, idempotencyKey });

/** What `runTool` checks of a tool that proposes: right, switches and budgets. A person at a login has no budget. */
async function asAgent(app: App, caller: Caller, proposal: Proposal): Promise<ActionCard> {
  demand(caller, askedOf(proposal).kind.proposes);
  if (caller.via === 'login') return propose(app, caller, proposal);
  const { tenantId, principalId, clientId = '' } = caller;
  const stop = await inOneTrip(app.db, tenantId, (q) =>
    stopOf(app, q, { tenantId, principalId, clientId }),
  );
  if (stop) throw new Forbidden(`${stopWords(stop)}. Nothing was proposed.`);
  return counted(app, caller, { proposals: 1 }, () => propose(app, caller, proposal));
}
