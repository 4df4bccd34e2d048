import { z } from 'zod';

import { demand } from '../../src/auth/permission/permission.ts';
import * as receipts from '../../src/data/command/receipt.ts';
import type { Receipt } from '../../src/data/command/record.ts';
import { BadRequest } from '../../src/kernel/errors.ts';
import type { Page } from '../../src/kernel/input/page.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import * as command from '../../src/manager/profile/command.ts';
import { defineTool, READS } from '../shape/define.ts';
import { IdOrUuid, isUuid } from '../shape/id.ts';
import { pageOf, paging, partOf, visiblePage } from '../shape/page.ts';
import { Ref } from '../shape/ref.ts';
import { Reported, Sentence, Visible } from '../shape/text.ts';

const Kind = z.enum(['issued', 'definition']);
/** Definitions belong to the manager center and need its permission as well. */
const DEFINITIONS = 'svc-center-manager:command:list';

/** The receipt of an issued command. */
export const Issued = z.object({
  commandId: z.string(),
  outcome: z.string(),
  done: z.boolean(),
  say: Sentence,
  type: z.string(),
  deviceId: z.string(),
  deviceName: Visible(),
  pointId: z.string(),
  pointName: Visible(),
  requestValue: Visible(256).nullable(),
  responseValue: Reported(256).nullable(),
  status: z.string(),
  verification: z.string(),
  readBackValue: Reported(256).nullable(),
  errorCode: Visible(),
  errorMessage: Visible(200),
  occurTime: z.string(),
  finishTime: z.string().nullable(),
});

/** A command that devices of a profile understand. */
const Definition = z.object({
  commandId: z.string(),
  commandName: Visible(),
  commandCode: Visible(),
  profileId: z.string(),
  type: z.string(),
});

/** Either, in one list. */
const Listed = z.object({
  commandId: z.string(),
  commandName: Visible().optional(),
  profileId: z.string().optional(),
  deviceId: z.string().optional(),
  deviceName: Visible().optional(),
  pointId: z.string().optional(),
  pointName: Visible().optional(),
  type: z.string(),
  status: z.string().optional(),
  done: z.boolean().optional(),
  say: Sentence.optional(),
  occurTime: z.string().optional(),
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
    listed: 'direct',
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
    listed: 'direct',
    description:
      'Lists issued commands, newest first, or with kind "definition" those that profiles define.',
    permission: 'svc-center-data:point_command_history:list',
    scope: 'svc:read',
    input: z.strictObject({
      kind: Kind.optional().describe('Left out, issued or by the filters'),
      deviceId: Ref.optional().describe('Id or name'),
      profileId: Ref.optional().describe('Defined by it: id or name'),
      commandName: partOf('name'),
      ...paging,
    }),
    output: pageOf(Listed),
    annotations: READS,
    run: (app, caller, { cursor, limit, maxTokens, kind, commandName, ...refs }) =>
      withNames(app, caller, async (find) => {
        const paged = { cursor, limit, maxTokens };
        const areOfDefinitions = commandName !== undefined || refs.profileId !== undefined;
        if (kind === 'issued' && areOfDefinitions) {
          throw new BadRequest('profileId and commandName filter definitions, not issued commands');
        }
        const ids = await find.ids(refs);
        if (kind === 'definition' || areOfDefinitions) {
          demand(caller, DEFINITIONS);
          const read = (page: Page) => command.page(app, caller, { ...ids, commandName, page });
          return visiblePage(paged, Listed, read, showDefinition);
        }
        const read = (page: Page) => receipts.page(app, caller, { deviceId: ids.deviceId, page });
        return visiblePage(paged, Listed, read, showIssued);
      }),
  }),
];
