import type { CommandTruth } from '../../data/command/facts.ts';
import { type Outcome, outcomeOf } from '../../data/command/outcome.ts';
import { amount, byName, moment, type Voice } from '../../kernel/sentence/voice.ts';
import type { CardView } from './card/card.ts';
import { noteSentences } from './card/notes.ts';
import { asked, deviceOf, valueOf } from './card/now.ts';
import { sayAlarm } from './card/words/alarm-outcome.ts';
import { type Around, sayRollout } from './card/words/firmware-outcome.ts';
import { sayOnboarding } from './card/words/onboarding-outcome.ts';
import type { DoneResult, AlarmView } from './kind/alarm-card.ts';
import type { FirmwareView } from './kind/firmware-card.ts';
import type { OnboardingCard } from './kind/onboarding-card.ts';
import type { ActionStatus } from './kind/status.ts';
import { listOf, devicesOf, progressOf, type StepFacts } from './step-outcome.ts';

/** Facts that the sentences about an action depend on. */
export type ActionFacts = Omit<CardView, 'steps'> & {
  status: ActionStatus;
  decidedName: string;
  decidedTime: string | null;
  comment: string;
  /** A standing approval decided, and had so many uses left. */
  beforehand: { left: number } | null;
  command: CommandTruth | null;
  /** What was done of a kind that is done at once. */
  result: DoneResult | null;
  /** Several writes in their order, else empty. */
  steps: readonly StepFacts[];
};

/** Status and sentence of an action; once confirmed, the sentence is that of its command or of its several writes. */
export function actionOutcome(facts: ActionFacts, voice: Voice = byName): Outcome<ActionStatus> {
  const { status } = facts;
  return { status, done: status === 'EXECUTED', say: speakOf(facts)(facts, voice) };
}

type Sentence = (facts: ActionFacts, voice: Voice) => string;

function speakOf({ status, steps, firmware, alarm, onboarding }: ActionFacts): Sentence {
  if (firmware !== null) return ofRollout(firmware);
  if (alarm !== null) return ofAlarm(alarm);
  if (onboarding !== null) return ofOnboarding(onboarding);
  return steps.length > 0 ? ofSteps[status] : sentences[status];
}

const ofRollout =
  (firmware: FirmwareView): Sentence =>
  (facts, voice) =>
    sayRollout(firmware, aroundOf(facts, voice), voice);

const ofAlarm =
  (alarm: AlarmView): Sentence =>
  (facts, voice) =>
    sayAlarm(alarm, facts.result, aroundOf(facts, voice), voice);

const ofOnboarding =
  (onboarding: OnboardingCard): Sentence =>
  (facts, voice) =>
    sayOnboarding(onboarding, facts.result, aroundOf(facts, voice), voice);

/** What is said of an action of any kind. */
function aroundOf(facts: ActionFacts, voice: Voice): Around {
  const { status, expiresAt } = facts;
  return {
    status,
    expiresAt,
    confirmed: confirmed(facts, voice),
    undone: `${(undoneBy[status] ?? undecided)(facts, voice)}${saying(facts, voice)}`,
    notes: notes(facts, voice),
  };
}

const ofCommand: Sentence = (facts, voice) =>
  facts.command === null
    ? `Set ${voice.subject(facts)} to ${proposed(facts, voice)} (${confirmed(facts, voice)}): not sent yet.`
    : outcomeOf({ ...facts, ...facts.command }, confirmed(facts, voice), voice).say;

const rejected: Sentence = (facts, voice) =>
  `rejected by ${voice.text(facts.decidedName, 48)}${when(facts)}`;
const withdrawn: Sentence = (facts, voice) =>
  `withdrawn by its proposer ${voice.text(facts.proposerName, 48)}${when(facts)}`;
const undecided: Sentence = ({ expiresAt }) => `not decided until ${moment(expiresAt)}`;
const undoneBy: Partial<Record<ActionStatus, Sentence>> = {
  REJECTED: rejected,
  WITHDRAWN: withdrawn,
};

const sentences: Record<ActionStatus, Sentence> = {
  PENDING: (facts, voice) =>
    `${proposal(facts, voice)} Not executed: it waits for a human to confirm it until ${moment(facts.expiresAt)}.${deviceOf(facts)}${notes(facts, voice)}`,
  PARTIALLY_CONFIRMED: (facts, voice) =>
    `${proposal(facts, voice)} Not executed: one human confirmed it, it waits for another until ${moment(facts.expiresAt)}.${deviceOf(facts)}${notes(facts, voice)}`,
  CONFIRMED: ofCommand,
  EXECUTED: ofCommand,
  MISMATCH: ofCommand,
  FAILED: ofCommand,
  UNKNOWN: ofCommand,
  REJECTED: (facts, voice) => notSet(facts, voice, rejected(facts, voice)),
  WITHDRAWN: (facts, voice) => notSet(facts, voice, withdrawn(facts, voice)),
  EXPIRED: (facts, voice) => notSet(facts, voice, undecided(facts, voice)),
};

const going: Sentence = (facts, voice) =>
  progressOf(facts.steps, facts.status, confirmed(facts, voice), voice);

const waiting =
  (forWhom: string): Sentence =>
  (facts, voice) =>
    `${facts.steps.length} writes as one, each sent once the one before is verified. Not executed: ${forWhom} until ${moment(facts.expiresAt)}. ${listOf(facts.steps, voice)}${devicesOf(facts.steps, voice)}${notes(facts, voice)}`;

const unmade =
  (why: Sentence): Sentence =>
  (facts, voice) =>
    `${facts.steps.length} writes as one were not made: ${why(facts, voice)}${saying(facts, voice)}. Nothing was written. ${listOf(facts.steps, voice)}`;

/** Of several writes. */
const ofSteps: Record<ActionStatus, Sentence> = {
  PENDING: waiting('all wait for a human to confirm them'),
  PARTIALLY_CONFIRMED: waiting('one human confirmed them, they wait for another'),
  CONFIRMED: going,
  EXECUTED: going,
  MISMATCH: going,
  FAILED: going,
  UNKNOWN: going,
  REJECTED: unmade(rejected),
  WITHDRAWN: unmade(withdrawn),
  EXPIRED: unmade(undecided),
};

const proposal: Sentence = (facts, voice) =>
  `Set ${voice.subject(facts)} to ${proposed(facts, voice)} (${valueOf(facts, voice)}).`;

const notSet = (facts: ActionFacts, voice: Voice, why: string): string =>
  `${voice.subject(facts)} was not set to ${proposed(facts, voice)}: ${why}${saying(facts, voice)}. Nothing was written.`;

const saying: Sentence = ({ comment }, voice) =>
  comment === '' ? '' : `, saying ${voice.text(comment, 128)}`;

const proposed = ({ proposedValue, unit, askedAs }: ActionFacts, voice: Voice): string =>
  `${amount(proposedValue, unit, voice)}${asked(askedAs, voice)}`;

const confirmed: Sentence = ({ decidedName, beforehand }, voice) => {
  const by = voice.text(decidedName, 48);
  if (beforehand === null) return `confirmed by ${by}`;
  const { left } = beforehand;
  return `confirmed beforehand by ${by}, with ${left} ${left === 1 ? 'use' : 'uses'} of the standing approval left`;
};

const when = ({ decidedTime }: ActionFacts): string =>
  decidedTime === null ? '' : ` ${moment(decidedTime)}`;

/** Of several writes as one; the card has all, and so has each of the writes. */
const MAX_NOTES = 4;

const notes: Sentence = (facts, voice) => {
  const all = noteSentences(facts, voice);
  const said = facts.steps.length === 0 ? all : all.slice(0, MAX_NOTES);
  const more = all.length - said.length;
  return [...said, ...(more > 0 ? [`${more} more notes are on the card.`] : [])]
    .map((note) => ` ${note}`)
    .join('');
};
