import { z } from 'zod';

import type { ActionView } from '../../src/agentic/action/view.ts';
import { afterNextChange } from '../../src/agentic/action/wait.ts';
import { withdraw } from '../../src/agentic/decision/withdraw.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import type { Waiting } from '../../src/kernel/app/exchange.ts';
import { Uuid } from '../../src/kernel/input/id.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { defineTool, READS, WITHDRAWS } from '../shape/define.ts';
import { reporting, waitSeconds } from '../shape/progress.ts';
import { Sentence, Visible } from '../shape/text.ts';
import { Issued } from './command.ts';
import { isTainted } from './proposal.ts';
import { Step, stepOf } from './step.ts';

/** Part of the command's receipt in a proposal; `commandId` leads to the whole receipt. */
const Proof = Issued.pick({
  commandId: true,
  status: true,
  verification: true,
  readBackValue: true,
  errorCode: true,
});

/** How many devices of a roll-out are how far. */
const Counts = z.record(z.string(), z.int());

type Look = { actionId: string; waitS: number };

function lookedUp(
  app: App,
  caller: Caller,
  { actionId, waitS }: Look,
  waiting?: Waiting,
): Promise<ActionView> {
  const atMostMs = waitS * 1_000;
  const given = { actionId, waitMs: atMostMs, signal: waiting?.signal };
  const about = 'Waiting for the next change of the proposal';
  return reporting(app, waiting, { atMostMs, about }, () => afterNextChange(app, caller, given));
}

function outcomeOf(view: ActionView) {
  const { command, commandId, steps } = view;
  const { tainted, summary, comment, expiresAt, ...facts } = view;
  return {
    ...facts,
    ...(summary !== view.say && { summary }),
    ...(comment !== '' && { comment }),
    ...(view.pendingConfirmation && { expiresAt }),
    ...isTainted(tainted),
    receipt: command && commandId ? { ...command, commandId } : null,
    ...(steps.length > 0 && { writes: steps.map(stepOf) }),
    ...(view.firmware?.receipt && { devices: view.firmware.receipt.counts }),
  };
}

export const actionTools = [
  defineTool({
    name: 'lookupActionById',
    title: 'Look up a proposal',
    domain: 'Command',
    listed: 'direct',
    description:
      'Returns a proposal: say is all that is known, only done means done. UNKNOWN may have happened and is proved by a later reading. waitS waits for the next change.',
    permission: 'svc-center-agentic:action:get',
    scope: 'svc:read',
    input: z.strictObject({
      actionId: Uuid.describe('From a proposal'),
      waitS: waitSeconds().default(0),
    }),
    output: z.object({
      actionId: z.string(),
      status: z.string(),
      done: z.boolean(),
      say: Sentence,
      summary: Sentence.optional(),
      expiresAt: z.string().optional(),
      decidedName: Visible(),
      comment: Visible(200).optional(),
      tainted: z.literal(true).optional(),
      receipt: Proof.nullable(),
      writes: z.array(Step).optional(),
      devices: Counts.optional(),
    }),
    annotations: READS,
    run: async (app, caller, input, waiting) =>
      outcomeOf(await lookedUp(app, caller, input, waiting)),
    async reply(app, caller, input, exchange) {
      const view = await lookedUp(app, caller, input, exchange);
      return { kind: 'record', structured: outcomeOf(view), view: { action: view } };
    },
  }),
  defineTool({
    name: 'withdrawAction',
    title: 'Withdraw a proposal',
    domain: 'Command',
    listed: 'direct',
    description: 'Takes back your proposal while it waits; it can no longer be confirmed.',
    permission: 'svc-center-agentic:action:withdraw',
    scope: 'svc:propose',
    input: z.strictObject({
      actionId: Uuid.describe('From a proposal'),
      reason: Text(200).default('').describe('Shown to the person who would have decided'),
    }),
    output: z.object({
      actionId: z.string(),
      status: z.string(),
      done: z.boolean(),
      say: Sentence,
    }),
    annotations: WITHDRAWS,
    run: withdraw,
  }),
];
