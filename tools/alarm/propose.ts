import { z } from 'zod';

import { type Proposal, propose } from '../../src/agentic/propose/action.ts';
import * as proposing from '../../src/agentic/propose/proposing.ts';
import { MaintenanceMode, MaintenanceScope } from '../../src/alarm/alarm/in-maintenance.ts';
import { RuleExt } from '../../src/alarm/kind/rule-ext.ts';
import * as rules from '../../src/alarm/rule/rule.ts';
import { demand } from '../../src/auth/permission/permission.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { BadRequest } from '../../src/kernel/errors.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { Name } from '../../src/kernel/input/text.ts';
import { type Finder, withNames } from '../../src/manager/find/resolve.ts';
import { AlarmProposal, alarmAnswer, forDecision, proposalReply } from '../command/proposal.ts';
import { momentOf, Written } from '../given/moment.ts';
import { defineTool, PROPOSES } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { proposalView } from '../shape/view.ts';
import { contentOf, draft, offlineContent } from './rule-draft.ts';

const Refs = z.array(Ref).min(1).max(100).describe('Ids or names');

type Places = {
  plant: boolean;
  deviceIds?: string[] | undefined;
  groupIds?: string[] | undefined;
  labelIds?: string[] | undefined;
  driverIds?: string[] | undefined;
};

/** The places of the one kind that is named. Throws BadRequest for none and for several. */
async function placesIn(find: Finder, { plant, ...given }: Places) {
  const kinds = [
    ['DEVICE', 'device', given.deviceIds],
    ['GROUP', 'group', given.groupIds],
    ['LABEL', 'label', given.labelIds],
    ['DRIVER', 'driver', given.driverIds],
  ] as const;
  const named = kinds.filter(([, , ids]) => ids !== undefined);
  if (named.length + Number(plant) !== 1)
    throw new BadRequest('Give one of deviceIds, groupIds, labelIds, driverIds and plant');
  const [scope, kind, names = []] = named[0] ?? ['PLANT', 'device'];
  const entityIds: string[] = [];
  for (const name of names) entityIds.push(await find.one(kind, name));
  return { scopeFlag: MaintenanceScope[scope], entityIds };
}

/** What every tool here is and does with its proposal. */
function proposalTool<I extends z.ZodObject>(
  given: { name: string; title: string; description: string; input: I },
  ask: (app: App, caller: Caller, input: z.output<I>) => Proposal | Promise<Proposal>,
) {
  const proposed = async (app: App, caller: Caller, input: z.output<I>) =>
    propose(app, caller, await ask(app, caller, input));
  return defineTool({
    ...given,
    domain: 'Alarm',
    permission: 'svc-center-agentic:alarm:propose',
    scope: 'svc:propose',
    output: AlarmProposal,
    annotations: PROPOSES,
    view: proposalView,
    run: async (app, caller, input) => alarmAnswer(app, await proposed(app, caller, input)),
    reply: (app, caller, input, exchange) =>
      proposalReply(app, caller, () => proposed(app, caller, input), exchange),
  });
}

export const alarmProposals = [
  proposalTool(
    {
      name: 'proposeRule',
      title: 'Propose an alarm rule',
      description:
        'Proposes a rule on a point or an offline device, with how often it would have fired in seven days: it is stored once a human confirms it.',
      input: z.strictObject({
        pointId: Ref.optional().describe('Id or name'),
        deviceId: Ref.optional().describe('Else: fires while it is offline'),
        ruleName: Name.describe('How people will know it'),
        notifyId: Id.optional().describe('Policy that notifies; none: seen on screens only'),
        ...draft,
        ...forDecision,
      }),
    },
    (
      app,
      caller,
      {
        pointId: point,
        deviceId: device,
        ruleName,
        notifyId = '0',
        reason,
        idempotencyKey,
        ...given
      },
    ) =>
      withNames(
        app,
        caller,
        async (find) => {
          const watched = await find.ids({ pointId: point, deviceId: device });
          const isOfDevice = watched.pointId === undefined && watched.deviceId !== undefined;
          const content = isOfDevice ? offlineContent(given) : contentOf(given, null);
          const ruleExt = { content };
          const rule = { ...watched, ruleName, notifyId, ruleExt, reason, idempotencyKey };
          return proposing.askForRule(app, caller, rule);
        },
        { isExact: true },
      ),
  ),
  proposalTool(
    {
      name: 'proposeRuleChange',
      title: 'Propose a change of a rule',
      description:
        'Proposes another limit, hold time or level of a rule, with how often it fires before and after: it is stored once a human confirms it.',
      input: z.strictObject({
        ruleId: Id.describe('From searchRules'),
        ...draft,
        ...forDecision,
      }),
    },
    async (app, caller, { ruleId, reason, idempotencyKey, ...given }) => {
      demand(caller, 'svc-center-data:rule:get');
      const stored = await rules.byId(app, caller, { id: ruleId });
      const content = contentOf(given, RuleExt.parse(stored.ruleExt).content);
      const change = { ruleId, ruleExt: { content }, reason, idempotencyKey };
      return proposing.askForRuleChange(app, caller, change);
    },
  ),
  proposalTool(
    {
      name: 'proposeSilence',
      title: 'Propose to silence an alarm',
      description:
        'Proposes to hold back the notifications of the rule of an alarm at its place for some hours, once a human confirms it.',
      input: z.strictObject({
        alarmId: Id.describe('From searchAlarms'),
        hours: proposing.Hours.describe('From the confirmation; 168 at most'),
        ...forDecision,
      }),
    },
    proposing.askForSilence,
  ),
  proposalTool(
    {
      name: 'proposeConfirmation',
      title: 'Propose to confirm alarms',
      description:
        'Proposes to confirm (acknowledge) alarms: a human sees them in one card, and confirms them all or none.',
      input: z.strictObject({
        alarmIds: proposing.Alarms.describe('From searchAlarms'),
        ...forDecision,
      }),
    },
    proposing.askForConfirmation,
  ),
  proposalTool(
    {
      name: 'proposeMaintenance',
      title: 'Propose a maintenance',
      description:
        'Proposes a window in which alarms of devices, groups or the plant are muted or marked, once a human confirms it; the card says what it covers.',
      input: z.strictObject({
        maintenanceName: Name.describe('How people will know it'),
        deviceIds: Refs.optional(),
        groupIds: Refs.optional(),
        labelIds: Refs.optional(),
        driverIds: Refs.optional(),
        plant: z.boolean().default(false).describe('Instead: all of it'),
        begin: Written.optional().describe('ISO-8601, plant time; at the confirmation'),
        end: Written.describe('Within 90 days'),
        mode: z
          .enum(['MUTE', 'MARK'])
          .default('MUTE')
          .describe('MARK: messages go out, and say it'),
        ...forDecision,
      }),
    },
    (app, caller, { maintenanceName, begin, end, mode, reason, idempotencyKey, ...places }) =>
      withNames(
        app,
        caller,
        async (find) => {
          const at = { zone: caller.timezone, now: app.clock.now() };
          return proposing.askForMaintenance(app, caller, {
            maintenanceName,
            ...(await placesIn(find, places)),
            modeFlag: MaintenanceMode[mode],
            beginTime: begin === undefined ? undefined : momentOf(begin, { ...at, field: 'begin' }),
            endTime: momentOf(end, { ...at, field: 'end' }),
            reason,
            idempotencyKey,
          });
        },
        { isExact: true },
      ),
  ),
];
