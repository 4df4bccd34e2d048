import { z } from 'zod';

import { type ActionCard, propose } from '../../src/agentic/propose/action.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { BadRequest } from '../../src/kernel/errors.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { packageNamed } from '../../src/manager/firmware/package.ts';
import { defineTool, PROPOSES } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { proposalView } from '../shape/view.ts';
import { FirmwareProposal, firmwareAnswer, forDecision, proposalReply } from './proposal.ts';

const MAX_DEVICES = 100;

const Wanted = z.strictObject({
  packageId: Ref.describe('Id, name or version'),
  deviceIds: z.array(Ref).min(1).max(MAX_DEVICES).optional().describe('Ids or names'),
  groupId: Ref.optional().describe('Instead: id or name'),
  ...forDecision,
});

export const firmwareTool = defineTool({
  name: 'proposeFirmware',
  title: 'Propose firmware',
  domain: 'Device',
  description:
    'Proposes to roll firmware out in waves: nothing is sent until a human confirms it. People upload packages in the console; lookupActionById says how it ends.',
  permission: 'svc-center-agentic:firmware_rollout:propose',
  scope: 'svc:propose',
  input: Wanted,
  output: FirmwareProposal,
  annotations: PROPOSES,
  view: proposalView,
  run: async (app, caller, input) => firmwareAnswer(app, await proposed(app, caller, input)),
  reply: (app, caller, input, exchange) =>
    proposalReply(app, caller, () => proposed(app, caller, input), exchange),
});

const proposed = (
  app: App,
  caller: Caller,
  { packageId: wanted, deviceIds: devices, groupId: group, ...given }: z.output<typeof Wanted>,
): Promise<ActionCard> =>
  withNames(
    app,
    caller,
    async (find) => {
      if ((devices === undefined) === (group === undefined))
        throw new BadRequest('Give either deviceIds or groupId');
      const deviceIds: string[] = [];
      for (const one of devices ?? []) deviceIds.push(await find.one('device', one));
      const { groupId } = await find.ids({ groupId: group });
      const packageId = await packageNamed(app, caller, wanted);
      const chosen = groupId === undefined ? { deviceIds } : { groupId };
      const rollout = { packageId, ...chosen, waveSize: 10, failurePercent: 10, minutes: 60 };
      return propose(app, caller, { rollout, ...given });
    },
    { isExact: true },
  );
