import { z } from 'zod';

import { type Proposal, propose } from '../../src/agentic/propose/action.ts';
import * as proposing from '../../src/agentic/propose/proposing.ts';
import { RuleExt } from '../../src/alarm/kind/rule-ext.ts';
import * as rules from '../../src/alarm/rule/rule.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { Id } from '../../src/kernel/input/id.ts';
import { Name } from '../../src/kernel/input/text.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { AlarmProposal, alarmAnswer, forDecision, proposalReply } from '../command/proposal.ts';
import { defineTool, PROPOSES } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { proposalView } from '../shape/view.ts';
import { contentOf, draft, Operator } from './rule-draft.ts';

const MAX_ALARMS = 50;

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
        'Proposes a rule on a point, with how often it would have fired in the last seven days: it is stored once a human confirms it.',
      input: z.strictObject({
        pointId: Ref.describe('Id or name'),
        ruleName: Name.describe('How people will know it'),
        notifyId: Id.optional().describe('Policy that notifies; none: seen on screens only'),
        ...draft,
        operator: Operator,
        ...forDecision,
      }),
    },
    (app, caller, { pointId: point, ruleName, notifyId = '0', reason, idempotencyKey, ...given }) =>
      withNames(app, caller, async (find) => {
        const { pointId = '' } = await find.ids({ pointId: point });
        const ruleExt = { content: contentOf(given, null) };
        const rule = { pointId, ruleName, notifyId, ruleExt, reason, idempotencyKey };
        return proposing.askForRule(app, caller, rule);
      }),
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
        hours: z.number().min(0.25).max(168).describe('From the confirmation; 168 at most'),
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
        alarmIds: z.array(Id).min(1).max(MAX_ALARMS).describe('From searchAlarms'),
        ...forDecision,
      }),
    },
    proposing.askForConfirmation,
  ),
];
