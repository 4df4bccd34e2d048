import { z } from 'zod';

import * as action from '../../src/agentic/action/action.ts';
import type { ActionView } from '../../src/agentic/action/view.ts';
import { withdraw } from '../../src/agentic/action/withdraw.ts';
import type { App, Caller } from '../../src/app.ts';
import { Uuid } from '../../src/core/input/id.ts';
import { Text } from '../../src/core/input/text.ts';
import * as receipts from '../../src/data/command/receipt.ts';
import { defineTool, READS, WITHDRAWS } from '../define.ts';
import { Said, Shown } from '../shape/text.ts';
import { Issued, showIssued } from './command.ts';

const POLL_MS = 500;
const MAX_WAIT_MS = 15_000;

/** Part of the command's receipt in a proposal; `commandId` leads to the whole receipt. */
const Proof = Issued.pick({
  commandId: true,
  status: true,
  verification: true,
  readBackValue: true,
  errorCode: true,
});

export const actionTools = [
  defineTool({
    name: 'lookupActionById',
    title: 'Look up a proposal',
    domain: 'Command',
    description:
      'Returns a proposed write: say is all that is known of it, only done means done. UNKNOWN may have happened and is proved by a later reading. waitMs waits for the next change.',
    permission: 'svc-center-agentic:action:get',
    scope: 'svc:read',
    input: z.strictObject({
      actionId: Uuid.describe('From writePointValue'),
      waitMs: z.int().min(0).max(MAX_WAIT_MS).default(0).describe('Milliseconds to wait'),
    }),
    output: z.object({
      actionId: z.string(),
      status: z.string(),
      done: z.boolean(),
      say: Said,
      summary: Said,
      expiresAt: z.string(),
      decidedName: Shown(),
      comment: Shown(200),
      receipt: Proof.nullable(),
    }),
    annotations: READS,
    async run(app, caller, { actionId, waitMs }) {
      const endsAt = app.clock.now() + waitMs;
      const view = await nextChange(app, caller, { actionId, endsAt });
      const { commandId } = view;
      const receipt =
        commandId === null ? null : await receipts.byCommandId(app, caller, { commandId });
      return { ...view, receipt: receipt && showIssued(receipt) };
    },
  }),
  defineTool({
    name: 'withdrawAction',
    title: 'Withdraw a proposal',
    domain: 'Command',
    description: 'Takes back a write you proposed, while it waits: nobody can confirm it any more.',
    permission: 'svc-center-data:point_command:write',
    scope: 'svc:propose',
    input: z.strictObject({
      actionId: Uuid.describe('From writePointValue'),
      reason: Text(200).default('').describe('Told to whoever would have decided'),
    }),
    output: z.object({
      actionId: z.string(),
      status: z.string(),
      done: z.boolean(),
      say: Said,
    }),
    annotations: WITHDRAWS,
    run: withdraw,
  }),
];
/**
 * Polls the action until it changes or until `endsAt` (milliseconds since the epoch). Changes are the
 * decision, the end of its command, and a reading after an UNKNOWN end.
 */
async function nextChange(
  app: App,
  caller: Caller,
  { actionId, endsAt }: { actionId: string; endsAt: number },
) {
  const first = await action.byId(app, caller, { actionId });
  let view = first;
  while (canChange(view) && (view === first || view.say === first.say || isUnderWay(view))) {
    const restMs = endsAt - app.clock.now();
    if (restMs <= 0) break;
    await new Promise<void>((resolve) => {
      app.clock.after(Math.min(POLL_MS, restMs), resolve);
    });
    view = await action.byId(app, caller, { actionId });
  }
  return view;
}

const isUnderWay = ({ status }: ActionView): boolean => status === 'CONFIRMED';

const canChange = (view: ActionView): boolean =>
  view.pendingConfirmation || isUnderWay(view) || (view.command?.openUntil ?? null) !== null;
