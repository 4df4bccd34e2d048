import { z } from 'zod';

import { inWrite } from '../../src/agentic/proposal/write.ts';
import { type ActionCard, propose } from '../../src/agentic/propose/action.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { Proposals, forDecision, proposalReply, proposalsAnswer } from '../command/proposal.ts';
import { defineTool, PROPOSES } from '../shape/define.ts';
import { pairRefs, Ref } from '../shape/ref.ts';
import { proposalView } from '../shape/view.ts';

const MAX_VALUE = 256;
const MAX_WRITES = 20;

/** Which value to which point. */
export const toWrite = {
  ...pairRefs,
  value: z
    .union([z.string().max(MAX_VALUE), z.number(), z.boolean()])
    .transform(String)
    .describe('In the unit of the point'),
};

const Writes = z.strictObject({
  writes: z
    .array(
      z.strictObject({
        deviceId: Ref.optional().describe('Id or name'),
        pointId: Ref.describe('Id or name'),
        value: toWrite.value,
      }),
    )
    .min(2)
    .max(MAX_WRITES)
    .describe('In their order, as of writePointValue'),
  ...forDecision,
});

export const proposeWritesTool = defineTool({
  name: 'proposeWrites',
  title: 'Propose several writes',
  domain: 'Point value',
  listed: 'direct',
  description:
    'Proposes writes as one: a human confirms all or none. Each is sent once the one before is verified; the first that is not stops the rest.',
  permission: 'svc-center-data:point_command:write',
  scope: 'svc:propose',
  input: Writes,
  output: Proposals,
  annotations: PROPOSES,
  view: proposalView,
  run: async (app, caller, input) => proposalsAnswer(app, await proposed(app, caller, input)),
  reply: (app, caller, input, exchange) =>
    proposalReply(app, caller, () => proposed(app, caller, input), exchange),
});

async function proposed(
  app: App,
  caller: Caller,
  { writes, ...given }: z.output<typeof Writes>,
): Promise<ActionCard> {
  let named: number | null = null;
  try {
    return await withNames(
      app,
      caller,
      async (find) => {
        const resolved = [];
        for (const [index, { value, ...pair }] of writes.entries()) {
          named = index;
          resolved.push({ ...(await find.pair(pair)), value });
        }
        named = null;
        return propose(app, caller, { ...given, writes: resolved });
      },
      { isExact: true },
    );
  } catch (error) {
    throw named === null ? error : inWrite(error, named, writes.length);
  }
}
