import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { ActionSearch, found, FoundActions } from '../action/search.ts';
import { ActionView } from '../action/view.ts';
import * as decision from '../decision/decision.ts';
import * as withdrawal from '../decision/withdraw.ts';
import * as action from './action.ts';
import * as proposing from './proposing.ts';
import { ProposeFirmware, Proposed, proposeFirmware } from './proposing.ts';

const ofAlarms = {
  needs: 'alarm:propose',
  scope: 'svc:propose',
  risk: 'add',
  reason: 'docs/specification/actions.md, Alarms',
} as const;

/** Whatever agents propose: its card, and the decisions on it. */
export const routes: readonly Route[] = [
  post(
    '/action/propose_firmware',
    {
      needs: 'firmware_rollout:propose',
      scope: 'svc:propose',
      risk: 'add',
      summary: 'Propose a roll-out of firmware; nothing is sent before a person confirms it',
      reason: 'docs/specification/firmware.md',
      input: ProposeFirmware,
      output: Proposed,
    },
    proposeFirmware,
  ),
  post(
    '/action/propose_rule',
    {
      ...ofAlarms,
      summary: 'Propose a rule on a point; it is stored once a person confirms it',
      input: proposing.ProposeRule,
      output: Proposed,
    },
    proposing.proposeRule,
  ),
  post(
    '/action/propose_rule_change',
    {
      ...ofAlarms,
      summary: 'Propose a change of a rule; it is stored once a person confirms it',
      input: proposing.ProposeRuleChange,
      output: Proposed,
    },
    proposing.proposeRuleChange,
  ),
  post(
    '/action/propose_silence',
    {
      ...ofAlarms,
      summary: 'Propose to silence the rule of an alarm at its place, once a person confirms it',
      input: proposing.ProposeSilence,
      output: Proposed,
    },
    proposing.proposeSilence,
  ),
  post(
    '/action/propose_confirmation',
    {
      ...ofAlarms,
      summary: 'Propose to confirm alarms, once a person confirms that',
      input: proposing.ProposeConfirmation,
      output: Proposed,
    },
    proposing.proposeConfirmation,
  ),
  post(
    '/action/propose_maintenance',
    {
      ...ofAlarms,
      summary: 'Propose a maintenance of devices, groups or the plant, once a person confirms it',
      input: proposing.ProposeMaintenance,
      output: Proposed,
    },
    proposing.proposeMaintenance,
  ),
  post(
    '/action/propose_onboarding',
    {
      needs: 'onboarding:propose',
      scope: 'svc:propose',
      risk: 'add',
      summary: 'Propose to make a waiting endpoint that of a device, once a person confirms it',
      reason: 'docs/specification/actions.md, Onboarding',
      input: proposing.ProposeOnboarding,
      output: Proposed,
    },
    proposing.proposeOnboarding,
  ),
  post(
    '/action/confirm',
    {
      needs: 'action:confirm',
      scope: 'interactive',
      risk: 'device',
      summary: 'Confirm a proposal: its effect, exactly once; interactive login only',
      input: decision.Confirm,
      output: decision.Decided,
    },
    decision.confirm,
  ),
  post(
    '/action/reject',
    {
      needs: 'action:reject',
      scope: 'interactive',
      risk: 'update',
      summary: 'Reject a proposal: nothing is sent; interactive login only',
      input: decision.Reject,
      output: decision.Decided,
    },
    decision.reject,
  ),
  post(
    '/action/withdraw',
    {
      needs: 'action:withdraw',
      scope: 'svc:propose',
      risk: 'update',
      summary: 'Withdraws an own proposal while it waits: it can no longer be confirmed',
      reason: 'A proposer takes back what is not decided yet',
      input: withdrawal.Withdraw,
      output: ActionView,
    },
    withdrawal.withdraw,
  ),
  get(
    '/action/pending',
    {
      needs: 'action:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'What waits for a human, in the tenant or in one conversation',
      input: action.OfConversation,
      output: z.array(ActionView),
    },
    action.pending,
  ),
  post(
    '/action/search',
    {
      needs: 'action:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Proposals of the tenant, decided or not, newest first',
      reason: 'Proposals with their decisions, page by page, for people',
      input: ActionSearch,
      output: FoundActions,
    },
    found,
  ),
  get(
    '/action/get',
    {
      needs: 'action:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'One action with its card, decision and the truth about its command',
      reason: 'One action with its card and what became of its command',
      input: action.ByActionId,
      output: ActionView,
    },
    action.byId,
  ),
];
