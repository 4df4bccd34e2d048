import { z } from 'zod';

import * as action from '../src/agentic/action/action.ts';
import type { ActionView } from '../src/agentic/action/view.ts';
import { withdraw } from '../src/agentic/action/withdraw.ts';
import type { App, Caller } from '../src/app.ts';
import { demand } from '../src/auth/rights/permission.ts';
import { BadRequest } from '../src/core/errors.ts';
import { Id, Uuid } from '../src/core/input/id.ts';
import { Text } from '../src/core/input/text.ts';
import * as receipts from '../src/data/command/receipt.ts';
import type { Receipt } from '../src/data/command/record.ts';
import * as command from '../src/manager/profile/command.ts';
import { defineTool, READS, WITHDRAWS } from './define.ts';
import { IdOrUuid, isUuid } from './shape/id.ts';
import { pageOf, pageRequest, paging, partOf, shownPage } from './shape/page.ts';
import { Said, Shown } from './shape/text.ts';

const POLL_MS = 500;
const MAX_WAIT_MS = 15_000;

const Kind = z.enum(['issued', 'definition']);
/** Definitions belong to the manager center and need its permission as well. */
const DEFINITIONS = 'svc-center-manager:command:list';

/** The receipt of an issued command. */
const Issued = z.object({
  commandId: z.string(),
  outcome: z.string(),
  done: z.boolean(),
  say: Said,
  type: z.string(),
  deviceId: z.string(),
  pointId: z.string(),
  requestValue: Shown(256).nullable(),
  responseValue: Shown(256).nullable(),
  status: z.string(),
  verification: z.string(),
  readBackValue: Shown(256).nullable(),
  errorCode: Shown(),
  errorMessage: Shown(200),
  occurTime: z.string(),
  finishTime: z.string().nullable(),
});

/** Part of the command's receipt in a proposal; `commandId` leads to the whole receipt. */
const Proof = Issued.pick({
  commandId: true,
  status: true,
  verification: true,
  readBackValue: true,
  errorCode: true,
});

/** A command that devices of a profile understand. */
const Definition = z.object({
  commandId: z.string(),
  commandName: Shown(),
  commandCode: Shown(),
  profileId: z.string(),
  type: z.string(),
});

const showDefinition = (row: command.Command) => ({
  commandId: row.id,
  commandName: row.commandName,
  commandCode: row.commandCode,
  profileId: row.profileId,
  type: row.commandTypeFlag,
});

const showIssued = (receipt: Receipt) => ({ ...receipt });

export const commandTools = [
  defineTool({
    name: 'lookupCommandById',
    title: 'Look up a command',
    domain: 'Command',
    description:
      'Returns the receipt of an issued command (UUID); say is all that is known of it, only done means done. For a numeric id, the definition of a command of a profile.',
    permission: 'svc-center-data:point_command_history:get',
    scope: 'svc:read',
    input: z.strictObject({
      commandId: IdOrUuid.describe('UUID of an issued command, or id of a definition'),
    }),
    output: z.object({
      kind: Kind,
      issued: Issued.optional(),
      definition: Definition.optional(),
    }),
    annotations: READS,
    async run(app, caller, { commandId }) {
      if (isUuid(commandId)) {
        const issued = showIssued(await receipts.byCommandId(app, caller, { commandId }));
        return { kind: 'issued' as const, issued };
      }
      demand(caller, DEFINITIONS);
      const definition = showDefinition(await command.byId(app, caller, { id: commandId }));
      return { kind: 'definition' as const, definition };
    },
  }),
  defineTool({
    name: 'searchCommands',
    title: 'Search commands',
    domain: 'Command',
    description:
      'Lists issued commands, newest first, or with kind "definition" those that profiles define.',
    permission: 'svc-center-data:point_command_history:list',
    scope: 'svc:read',
    input: z.strictObject({
      kind: Kind.optional().describe('Default: by the filters, else issued'),
      deviceId: Id.optional().describe('Of this device'),
      profileId: Id.optional().describe('Defined by this profile'),
      commandName: partOf('name'),
      ...paging,
    }),
    output: pageOf(
      z.object({
        commandId: z.string(),
        commandName: Shown().optional(),
        profileId: z.string().optional(),
        deviceId: z.string().optional(),
        pointId: z.string().optional(),
        type: z.string(),
        status: z.string().optional(),
        done: z.boolean().optional(),
        say: Said.optional(),
        occurTime: z.string().optional(),
      }),
    ),
    annotations: READS,
    async run(app, caller, { cursor, limit, kind, deviceId, ...filters }) {
      const page = pageRequest({ cursor, limit });
      const areOfDefinitions = Object.values(filters).some((filter) => filter !== undefined);
      if (kind === 'issued' && areOfDefinitions) {
        throw new BadRequest('profileId and commandName filter definitions, not issued commands');
      }
      if (kind === 'definition' || areOfDefinitions) {
        demand(caller, DEFINITIONS);
        const wanted = { ...filters, deviceId, page };
        return shownPage(await command.page(app, caller, wanted), showDefinition);
      }
      return shownPage(await receipts.page(app, caller, { deviceId, page }), showIssued);
    },
  }),
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
