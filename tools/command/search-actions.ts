import { z } from 'zod';

import { ACTION_STATUS } from '../../src/agentic/action/kind/status.ts';
import { search } from '../../src/agentic/action/search.ts';
import { nameOf } from '../../src/kernel/input/flag.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { oneOf } from '../given/one-of.ts';
import { momentOf, Since } from '../given/window.ts';
import { cutTo, maxTokens } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { Sentence, Visible } from '../shape/text.ts';

/** More than the longest answer holds. */
const MAX_FOUND = 50;
const Status = oneOf(Object.values(ACTION_STATUS).map((stored) => nameOf(ACTION_STATUS, stored)));

/** Of a client whose id is the address of its document, the host: a whole address counts as a text of others. */
const shownClient = (clientId: string): string => URL.parse(clientId)?.host ?? clientId;

export const searchActionTools = [
  defineTool({
    name: 'searchActions',
    title: 'Search proposals',
    domain: 'Command',
    description:
      'Lists proposals, newest first: who proposed and decided, how each ended. mine: yours in any conversation.',
    permission: 'svc-center-agentic:action:get',
    scope: 'svc:read',
    input: z.strictObject({
      mine: z.boolean().default(false).describe('Only yours'),
      status: Status.optional().describe('PENDING, REJECTED, EXECUTED, UNKNOWN …'),
      deviceId: Ref.optional().describe('Id or name'),
      since: Since.optional().describe('ISO-8601 or hours ago'),
      until: Since.optional().describe('Proposed before'),
      cursor: z.string().max(64).optional().describe('nextCursor'),
      ...maxTokens,
    }),
    output: z.object({
      returned: z.int().optional(),
      nextCursor: z.string().nullable(),
      records: z.array(
        z.object({
          actionId: z.string(),
          status: z.string(),
          done: z.boolean(),
          say: Sentence,
          at: z.string(),
          by: Visible(),
          via: z.string(),
          client: Visible().optional(),
          decidedAt: z.string().optional(),
          decidedBy: Visible().optional(),
          comment: Visible(120).optional(),
          tainted: z.literal(true).optional(),
          expiresAt: z.string().optional(),
        }),
      ),
    }),
    annotations: READS,
    async run(app, caller, { since, until, deviceId, status, maxTokens: most, ...given }) {
      const now = app.clock.now();
      const { actions, nextCursor } = await withNames(app, caller, async (find) =>
        search(app, caller, {
          ...given,
          ...(await find.ids({ deviceId })),
          status,
          since: momentOf(since, { zone: caller.timezone, now }),
          until: momentOf(until, { zone: caller.timezone, now }),
          limit: MAX_FOUND,
        }),
      );
      const at = (time: string): string => inZone(time, caller.timezone);
      const records = actions.map((action) => ({
        actionId: action.actionId,
        status: action.status,
        done: action.done,
        say: action.say,
        at: at(action.createTime),
        by: action.proposerName,
        via: action.proposedVia,
        client: shownClient(action.clientId) || undefined,
        decidedAt: action.decidedTime === null ? undefined : at(action.decidedTime),
        decidedBy: action.decidedName || undefined,
        comment: action.comment || undefined,
        tainted: action.tainted.length > 0 || undefined,
        expiresAt: action.pendingConfirmation ? at(action.expiresAt) : undefined,
      }));
      const { rows, left } = cutTo(records, most);
      return {
        returned: rows.length,
        nextCursor: left > 0 ? (actions[rows.length - 1]?.position ?? null) : nextCursor,
        records: rows,
      };
    },
  }),
];
