import { z } from 'zod';

import { type ActionCard, propose } from '../../src/agentic/propose/action.ts';
import { askForOnboarding } from '../../src/agentic/propose/proposing.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { Name } from '../../src/kernel/input/text.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { defineTool, PROPOSES } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { proposalView } from '../shape/view.ts';
import { DoneProposal, doneAnswer, forDecision, proposalReply } from './proposal.ts';

const Wanted = z.strictObject({
  waitingId: Id.describe('From searchWaitingDevices'),
  deviceId: Ref.optional().describe('Id or name of the device that gets it; not of a proven one'),
  deviceName: Name.optional().describe('Instead: of a new device'),
  profileId: Ref.optional().describe('Of the new device, id or name; none: without points'),
  groupId: Ref.optional().describe('Group to put it into'),
  ...forDecision,
});

export const onboardingTool = defineTool({
  name: 'proposeOnboarding',
  title: 'Propose an onboarding',
  domain: 'Device',
  description:
    'Proposes to make what waits at a driver the device whose key it proved, another one or a new one, once a human confirms it. It cannot be undone from here.',
  permission: 'svc-center-agentic:onboarding:propose',
  scope: 'svc:propose',
  input: Wanted,
  output: DoneProposal,
  annotations: PROPOSES,
  view: proposalView,
  run: async (app, caller, input) => doneAnswer(app, await proposed(app, caller, input)),
  reply: (app, caller, input, exchange) =>
    proposalReply(app, caller, () => proposed(app, caller, input), exchange),
});

const proposed = (
  app: App,
  caller: Caller,
  { deviceId: device, profileId: profile, groupId: group, ...given }: z.output<typeof Wanted>,
): Promise<ActionCard> =>
  withNames(
    app,
    caller,
    async (find) => {
      const ids = await find.ids({ deviceId: device, profileId: profile, groupId: group });
      const { deviceId, profileId, groupId } = ids;
      const asked = { ...given, deviceId, profileId, groupId };
      return propose(app, caller, askForOnboarding(app, caller, asked));
    },
    { isExact: true },
  );
