import { z } from 'zod';

import type { WriteView } from '../../src/agentic/action/card/card.ts';
import {
  isUnchanged,
  openOthers,
  OtherWrite,
  Rejection,
} from '../../src/agentic/action/card/notes.ts';
import { reviewUrl } from '../../src/agentic/action/card/words/markdown.ts';
import { LeftOut } from '../../src/agentic/action/kind/firmware-card.ts';
import { isEnd } from '../../src/agentic/action/kind/status.ts';
import type { ActionView } from '../../src/agentic/action/view.ts';
import * as action from '../../src/agentic/propose/action.ts';
import { Key, Reason } from '../../src/agentic/propose/proposing.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import type { Exchange, Question, Reply, Task } from '../../src/kernel/app/exchange.ts';
import { sentenceInZone } from '../../src/kernel/sentence/time-zone.ts';
import { plantTimeIn } from '../shape/plant-time.ts';
import { Reported, Sentence, Visible, Unit } from '../shape/text.ts';
import { outcomeOfStep, stepFields } from './step.ts';

export const forDecision = {
  reason: Reason.describe('Why, for the human who decides'),
  idempotencyKey: Key.describe('Same key, same proposal, for 24 h'),
};

const POLL_MS = 2_000;
const CANCELLED = ['WITHDRAWN'];
const MAX_VALUE = 256;

const head = {
  pendingConfirmation: z.boolean(),
  actionId: z.string(),
  status: z.string(),
  repeated: z.literal(true).optional(),
};
const write = {
  deviceId: z.string(),
  deviceName: Visible(),
  deviceStatus: z.string().optional(),
  offlineSince: z.string().optional(),
  pointId: z.string(),
  pointName: Visible(),
  unit: Unit.optional(),
  currentValue: Reported(MAX_VALUE).optional(),
  currentAgeS: z.number().optional(),
  proposedValue: Visible(MAX_VALUE),
  limits: z.object({ min: z.number().nullable(), max: z.number().nullable() }).optional(),
  noChange: z.literal(true).optional(),
  conflicts: z
    .array(OtherWrite.extend({ value: Visible(MAX_VALUE), by: Visible(48).optional() }))
    .optional(),
  rejectedBefore: Rejection.extend({ by: Visible(48), why: Visible(200).optional() }).optional(),
};
const end = {
  tainted: z.literal(true).optional(),
  expiresAt: z.string(),
  done: z.boolean(),
  say: Sentence,
  reviewUrl: z.string(),
};

/** The answer about a proposal, when it is made and whenever it is looked at as the end of the call. */
export const Proposal = z.object({ ...head, ...write, ...end });

/** The same of several writes as one. */
export const Proposals = z.object({
  ...head,
  writes: z.array(z.object({ ...write, ...stepFields })),
  ...end,
});

/** The same of a roll-out of firmware. */
export const FirmwareProposal = z.object({
  ...head,
  deviceCount: z.int().optional(),
  leftOut: z.array(z.object({ deviceName: Visible(48), code: LeftOut.shape.code })).optional(),
  ...end,
  expiresAt: end.expiresAt.optional(),
});

/** The same of what is done at once. */
export const DoneProposal = z.object({
  ...head,
  ...end,
  expiresAt: end.expiresAt.optional(),
});

/** The same of a rule, a silence, a maintenance or a confirmation of alarms. */
export const AlarmProposal = z.object({
  ...head,
  alarmsBefore: z.int().optional(),
  alarmsAfter: z.int().optional(),
  ...end,
  expiresAt: end.expiresAt.optional(),
});

type Proposed = ActionView & { repeated?: boolean };

export const proposalAnswer = (app: App, view: Proposed) => ({
  ...headOf(view),
  ...factsOf(view, app.clock.now()),
  ...endOf(app, view),
});

export const proposalsAnswer = (app: App, view: Proposed) => ({
  ...headOf(view),
  writes: view.steps.map((step) => ({
    ...factsOf(step, app.clock.now()),
    ...(view.pendingConfirmation ? {} : outcomeOfStep(step)),
  })),
  ...endOf(app, view),
});

const MAX_NAMED = 10;

export function firmwareAnswer(app: App, view: Proposed) {
  if (!view.firmware) throw new Error('a proposal of firmware has none');
  const { devices, leftOut } = view.firmware;
  return {
    ...headOf(view),
    deviceCount: devices.length,
    ...(leftOut.length > 0 && {
      leftOut: leftOut.slice(0, MAX_NAMED).map(({ deviceName, code }) => ({ deviceName, code })),
    }),
    ...endOf(app, view),
  };
}

export const doneAnswer = (app: App, view: Proposed) => ({ ...headOf(view), ...endOf(app, view) });

/** In the last seven days, by the stored rule and by the proposed one. */
export function alarmAnswer(app: App, view: Proposed) {
  const { alarm } = view;
  const tried = alarm !== null && 'backtest' in alarm ? alarm.backtest : null;
  return {
    ...headOf(view),
    ...(tried !== null && {
      ...(tried.before !== null && { alarmsBefore: tried.before }),
      alarmsAfter: tried.after,
    }),
    ...endOf(app, view),
  };
}

/** Of one write, or of several as one. */
export const writesAnswer = (app: App, view: Proposed) =>
  view.steps.length === 0 ? proposalAnswer(app, view) : proposalsAnswer(app, view);

function answerOf(app: App, view: Proposed): Record<string, unknown> {
  if (view.firmware) return firmwareAnswer(app, view);
  if (view.onboarding) return doneAnswer(app, view);
  return view.alarm ? alarmAnswer(app, view) : writesAnswer(app, view);
}

const headOf = (view: Proposed) => ({
  pendingConfirmation: view.pendingConfirmation,
  actionId: view.actionId,
  status: view.status,
  ...(view.repeated === true && { repeated: true as const }),
});

/** That the proposer had read free texts of devices and users: their words are on the card, not once more for the agent. */
export const isTainted = (tainted: ActionView['tainted']) =>
  tainted.length > 0 && { tainted: true as const };

const endOf = (app: App, view: Proposed) => ({
  ...isTainted(view.tainted),
  expiresAt: view.expiresAt,
  done: view.done,
  say: view.say,
  reviewUrl: reviewUrl(app.config.baseUrl, view.actionId),
});

/** What is known of a write, without what is empty: its present facts while it waits, none of before once it does not. */
function factsOf(view: WriteView, now: number) {
  const { unit, limits, rejectedBefore } = view;
  return {
    deviceId: view.deviceId,
    deviceName: view.deviceName,
    pointId: view.pointId,
    pointName: view.pointName,
    ...(unit !== '' && { unit }),
    proposedValue: view.proposedValue,
    ...(limits.verdict === 'WITHIN' && { limits: { min: limits.min, max: limits.max } }),
    ...presentFactsOf(view, now),
    ...(rejectedBefore && {
      rejectedBefore: rejectedBefore.why === '' ? withoutReason(rejectedBefore) : rejectedBefore,
    }),
  };
}

/** `now` in milliseconds since the epoch. */
function presentFactsOf(view: WriteView, now: number) {
  if (view.now === null) return {};
  const { deviceStatus, offlineSince, value, time } = view.now;
  const others = openOthers(view);
  return {
    deviceStatus,
    ...(offlineSince !== null && { offlineSince }),
    ...(value !== null && { currentValue: value }),
    ...(time !== null && {
      currentAgeS: Math.max(0, Math.round((now - Date.parse(time)) / 1_000)),
    }),
    ...(isUnchanged(view) && { noChange: true as const }),
    ...(others.length > 0 && {
      conflicts: others.map(({ by, ...other }) => (by === '' ? other : { ...other, by })),
    }),
  };
}

const withoutReason = ({ at, by }: Rejection) => ({ at, by });

/**
 * The reply to a proposal for what the program can do: a task, the address of its review, or the answer. Whatever
 * the program says to that address, also that a person agreed, or nothing at all, leads to one more look at the proposal
 * alone.
 */
export async function proposalReply(
  app: App,
  caller: Caller,
  propose: () => Promise<action.ActionCard>,
  exchange: Exchange,
): Promise<Reply> {
  const before = State.safeParse(exchange.state);
  if (before.success) {
    const view = await action.byId(app, caller, before.data);
    return recordOf(app, view);
  }
  const card = await propose();
  if (exchange.takesTasks)
    return { kind: 'task', task: taskOf(app, card, { has: exchange.has, zone: caller.timezone }) };
  // Once only: a client that dropped the question calls again, and would never learn of its proposal.
  if (card.pendingConfirmation && !card.repeated && exchange.has('elicitation.url')) {
    const state = { actionId: card.actionId };
    return {
      kind: 'questions',
      questions: review(app, card, caller.timezone),
      state,
      isOptional: true,
    };
  }
  return recordOf(app, card);
}

/** The whole card is for the person alone: texts that others wrote are not said to the model once more. */
const recordOf = (app: App, view: ActionView): Reply => ({
  kind: 'record',
  structured: answerOf(app, view),
  view: { action: view },
});

const State = z.strictObject({ actionId: z.string() });

const review = (app: App, view: ActionView, zone?: string): Record<string, Question> => ({
  review: {
    method: 'elicitation/create',
    params: {
      mode: 'url',
      message: `${sentenceInZone(view.say, zone)} Review it there; nothing is confirmed here.`,
      url: reviewUrl(app.config.baseUrl, view.actionId),
      elicitationId: view.actionId,
    },
  },
});

const Answer = z.union([Proposal, Proposals, FirmwareProposal, AlarmProposal, DoneProposal]);
const inPlantTime = plantTimeIn(Answer);

/** What a program can do, and the time zone of its plant. */
type Asking = { has: Exchange['has']; zone: string | undefined };

/** A proposal as a task: it ends with the receipt of the device, or without one when nothing is written. */
export function taskOf(app: App, view: ActionView, { has, zone }: Asking): Task {
  // Not by way of a tool, which cleans its answer.
  const answer = inPlantTime(Answer.parse(answerOf(app, view)), zone);
  const asks = view.pendingConfirmation && has('elicitation.url');
  const task = {
    taskId: view.actionId,
    statusMessage: sentenceInZone(view.say, zone),
    createdAt: view.createTime,
    lastUpdatedAt: view.decidedTime ?? view.createTime,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  if (CANCELLED.includes(view.status)) return { ...task, status: 'cancelled' };
  if (asks) return { ...task, status: 'input_required', questions: review(app, view, zone) };
  if (!isEnd(view.status)) return { ...task, status: 'working' };
  const content = [{ type: 'text' as const, text: JSON.stringify(answer) }];
  return {
    ...task,
    status: 'completed',
    result: { kind: 'content', content, structured: answer, isError: !view.done },
  };
}
