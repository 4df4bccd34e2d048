import { z } from 'zod';

import { MaintenanceMode, MaintenanceScope } from '../../alarm/alarm/in-maintenance.ts';
import { AlarmTarget } from '../../alarm/kind/alarm.ts';
import { type RuleContent, RuleExt } from '../../alarm/kind/rule-ext.ts';
import { watchedBy } from '../../alarm/rule/preview/asked.ts';
import type { RulePreview } from '../../alarm/rule/preview/preview-answer.ts';
import { preview, rightToTry } from '../../alarm/rule/preview/preview.ts';
import * as rules from '../../alarm/rule/rule.ts';
import { counted } from '../../auth/agent/budget.ts';
import { stopOf } from '../../auth/connection/stop.ts';
import { stopWords } from '../../auth/permission/mode.ts';
import { allows, demand } from '../../auth/permission/permission.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AppError, BadRequest, Forbidden, TooManyRequests } from '../../kernel/errors.ts';
import { flag, nameOf } from '../../kernel/input/flag.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { chosen } from '../../manager/firmware/chosen-devices.ts';
import { waves } from '../../manager/firmware/start.ts';
import { claimTarget } from '../../manager/registration/claim.ts';
import { BACKTEST_MS, type Backtest } from '../action/kind/alarm-card.ts';
import { ActionView } from '../action/view.ts';
import { askedOf } from '../proposal/kinds.ts';
import { type ActionCard, type Proposal, propose } from './action.ts';

/** Of every proposal; tools say it in shorter words. */
export const Reason = Text(200).default('');
export const Key = Text(64).min(1).optional();

const forDecision = {
  reason: Reason.describe('Why, for the person that decides'),
  idempotencyKey: Key.describe('For 24 h, the same key answers the same proposal'),
};

export const ProposeFirmware = input({ packageId: Id, ...chosen, ...waves, ...forDecision });

export const Proposed = ActionView.extend({
  repeated: z.boolean().describe('It was proposed before; nothing new was made'),
}).meta({ id: 'ProposedAction' });

/**
 * Proposes a roll-out of firmware over REST. Throws like `propose`; Forbidden while agents are stopped, TooManyRequests
 * beyond the budget of proposals.
 */
export const proposeFirmware: Operation<z.output<typeof ProposeFirmware>, ActionCard> = (
  app,
  caller,
  { reason, idempotencyKey, ...rollout },
) => asAgent(app, caller, { rollout, reason, idempotencyKey });

/** Of a silence, from its confirmation on. */
export const Hours = z.number().min(0.25).max(168);
export const Alarms = z.array(Id).min(1).max(50);
const MAX_PLACES = 100;

export const ProposeRule = input({
  ruleName: Name,
  pointId: Id.optional(),
  deviceId: Id.optional().describe(
    'In place of pointId: the rule watches the state of this device',
  ),
  notifyId: IdOrZero.describe('0: no policy, so people see it and are not notified').default('0'),
  ruleExt: RuleExt,
  ...forDecision,
});
export const ProposeRuleChange = input({ ruleId: Id, ruleExt: RuleExt, ...forDecision });
export const ProposeSilence = input({
  alarmId: Id,
  hours: Hours.describe('From the confirmation').meta({ examples: [2] }),
  ...forDecision,
});
export const ProposeConfirmation = input({
  alarmIds: Alarms.meta({ examples: [['7312']] }),
  ...forDecision,
});

export const ProposeMaintenance = input({
  maintenanceName: Name,
  scopeFlag: flag(MaintenanceScope),
  entityIds: z.array(Id).max(MAX_PLACES).default([]).describe('None of the whole PLANT'),
  modeFlag: flag(MaintenanceMode).default(MaintenanceMode.MUTE),
  beginTime: Moment.describe('At the confirmation without one').optional(),
  endTime: Moment.describe('At most 90 days after the begin'),
  ...forDecision,
});

export const ProposeOnboarding = input({ waitingId: Id, ...claimTarget, ...forDecision });

type Ask<I extends z.ZodType> = (app: App, caller: Caller, given: z.output<I>) => Proposal;

/**
 * A new rule on a point or on the state of a device, with what it would have raised in the last seven days. It throws
 * like a preview.
 */
export const askForRule: Ask<typeof ProposeRule> = (
  app,
  caller,
  { ruleName, pointId = '', deviceId = '', notifyId, ruleExt, ...rest },
) => {
  if ((pointId === '') === (deviceId === ''))
    throw new BadRequest('Give pointId or deviceId: one of them is what the rule watches');
  const { content } = ruleExt;
  const rule = { does: 'ADD_RULE', ruleName, pointId, deviceId, notifyId, content } as const;
  const complete = async () => {
    if (pointId === '' && !allows(caller, rightToTry('DEVICE')))
      return { alarm: { ...rule, backtest: null } };
    const watched =
      pointId === ''
        ? { alarmTargetTypeFlag: AlarmTarget.DEVICE, entityId: deviceId }
        : { pointId };
    return { alarm: { ...rule, backtest: await triedOn(app, caller, { watched, content }) } };
  };
  return { alarm: { ...rule, backtest: null }, complete, ...rest };
};

/** A change of a rule, with what it would have raised in the last seven days before and after. */
export const askForRuleChange: Ask<typeof ProposeRuleChange> = (
  app,
  caller,
  { ruleId, ruleExt, ...rest },
) => {
  const { content } = ruleExt;
  const change = { does: 'CHANGE_RULE', ruleId, content } as const;
  const complete = async () => {
    const stored = await rules.byId(app, caller, { id: ruleId });
    const before = RuleExt.parse(stored.ruleExt).content;
    const { alarmTargetTypeFlag: target, operateTime: basis } = stored;
    // A rule on a point is tried, or not proposed; others may be proposed without being tried.
    const isOfPoint = target === 'POINT' && stored.entityId !== '0';
    const isTried = isOfPoint || allows(caller, rightToTry(target));
    const watched = watchedBy(stored);
    const backtest = isTried ? await triedOn(app, caller, { watched, content, before }) : null;
    return { alarm: { ...change, basis, backtest } };
  };
  return { alarm: { ...change, basis: '', backtest: null }, complete, ...rest };
};

export const askForSilence: Ask<typeof ProposeSilence> = (
  _app,
  _caller,
  { alarmId, hours, ...rest },
) => ({ alarm: { does: 'SILENCE', alarmId, hours }, ...rest });

export const askForConfirmation: Ask<typeof ProposeConfirmation> = (
  _app,
  _caller,
  { alarmIds, ...rest },
) => ({ alarm: { does: 'CONFIRM', alarmIds }, ...rest });

export const askForMaintenance: Ask<typeof ProposeMaintenance> = (
  _app,
  _caller,
  { maintenanceName, scopeFlag, entityIds, modeFlag, beginTime, endTime, ...rest },
) => ({
  alarm: {
    does: 'MAINTENANCE',
    maintenanceName,
    scope: nameOf(MaintenanceScope, scopeFlag),
    entityIds: [...new Set(entityIds)],
    mode: nameOf(MaintenanceMode, modeFlag),
    begin: beginTime === undefined ? null : new Date(beginTime).toISOString(),
    end: new Date(endTime).toISOString(),
  },
  ...rest,
});

/** The card names groups: throws Forbidden for one to a caller that may not list them. */
export const askForOnboarding: Ask<typeof ProposeOnboarding> = (
  _app,
  caller,
  { reason, idempotencyKey, ...onboarding },
) => {
  if (onboarding.groupId !== undefined) demand(caller, 'svc-center-manager:group:list');
  return { onboarding, reason, idempotencyKey };
};

/** Proposes over REST what was asked for. Throws like `propose`, and as `proposeFirmware`. */
const asked =
  <I extends z.ZodType>(ask: Ask<I>): Operation<z.output<I>, ActionCard> =>
  (app, caller, given) =>
    asAgent(app, caller, ask(app, caller, given));

export const proposeRule = asked(askForRule);
export const proposeRuleChange = asked(askForRuleChange);
export const proposeSilence = asked(askForSilence);
export const proposeConfirmation = asked(askForConfirmation);
export const proposeMaintenance = asked(askForMaintenance);
export const proposeOnboarding = asked(askForOnboarding);

type Tried = {
  watched: Omit<Parameters<typeof preview>[2], 'ruleExt'>;
  content: RuleContent;
  before?: RuleContent;
};

/** Both on the same values: what the stored rule did raise depends on when it was changed. */
async function triedOn(
  app: App,
  caller: Caller,
  { watched, content, before }: Tried,
): Promise<Backtest> {
  const to = app.clock.now();
  const span = { ...watched, from: to - BACKTEST_MS, to };
  const after = await preview(app, caller, { ...span, ruleExt: { content } });
  const old = before && (await asStored(app, caller, { ...span, ruleExt: { content: before } }));
  const { from, devices, values, cut: leftOut, unknown, warnings } = after;
  const counts = { before: old?.count ?? null, after: after.count };
  return { from, to: after.to, ...counts, devices, values, leftOut, unknown, warnings };
}

/** Null for a stored rule that makes no sense any more, which a proposal may mend. */
const asStored: Operation<Parameters<typeof preview>[2], RulePreview | null> = (
  app,
  caller,
  given,
) =>
  preview(app, caller, given).catch((error: unknown) => {
    if (!(error instanceof AppError) || error instanceof TooManyRequests) throw error;
    return null;
  });

/** What `runTool` checks of a tool that proposes: right, switches and budgets. A person at a login has no budget. */
async function asAgent(app: App, caller: Caller, proposal: Proposal): Promise<ActionCard> {
  demand(caller, askedOf(proposal).kind.proposes);
  if (caller.via === 'login') return propose(app, caller, proposal);
  const { tenantId, principalId, clientId = '' } = caller;
  const stop = await inOneTrip(app.db, tenantId, (q) =>
    stopOf(app, q, { tenantId, principalId, clientId }),
  );
  if (stop) throw new Forbidden(`${stopWords(stop)}. Nothing was proposed.`);
  return counted(app, caller, { proposals: 1 }, () => propose(app, caller, proposal));
}
