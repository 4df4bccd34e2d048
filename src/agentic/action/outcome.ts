import { amount, byName, moment, type Voice } from '../../core/sentence/voice.ts';
import type { CommandTruth } from '../../data/command/facts.ts';
import { type Outcome, outcomeOf } from '../../data/command/outcome.ts';
import type { ShownCard } from './card/card.ts';
import { notesOf } from './card/notes.ts';
import type { ActionStatus } from './status.ts';

/** Facts that the sentences about an action depend on. */
export type ActionFacts = ShownCard & {
  status: ActionStatus;
  decidedName: string;
  decidedTime: string | null;
  comment: string;
  command: CommandTruth | null;
};

/** Status and sentence of an action; once confirmed, the sentence is that of its command. */
export function actionOutcome(facts: ActionFacts, voice: Voice = byName): Outcome<ActionStatus> {
  const { status } = facts;
  return { status, done: status === 'EXECUTED', say: sentences[status](facts, voice) };
}

type Sentence = (facts: ActionFacts, voice: Voice) => string;

const ofCommand: Sentence = (facts, voice) =>
  facts.command === null
    ? `Set ${voice.subject(facts)} to ${proposed(facts, voice)} (${confirmed(facts, voice)}): not sent yet.`
    : outcomeOf({ ...facts, ...facts.command }, confirmed(facts, voice), voice).say;

const sentences: Record<ActionStatus, Sentence> = {
  PENDING: (facts, voice) =>
    `${proposal(facts, voice)} Not executed: it waits for a human to confirm it until ${facts.expiresAt}.${offline(facts)}${notes(facts, voice)}`,
  PARTIALLY_CONFIRMED: (facts, voice) =>
    `${proposal(facts, voice)} Not executed: one human confirmed it, it waits for another until ${facts.expiresAt}.${offline(facts)}${notes(facts, voice)}`,
  CONFIRMED: ofCommand,
  EXECUTED: ofCommand,
  MISMATCH: ofCommand,
  FAILED: ofCommand,
  UNKNOWN: ofCommand,
  REJECTED: (facts, voice) =>
    notSet(facts, voice, `rejected by ${voice.text(facts.decidedName, 48)}${when(facts)}`),
  WITHDRAWN: (facts, voice) =>
    notSet(
      facts,
      voice,
      `withdrawn by its proposer ${voice.text(facts.proposerName, 48)}${when(facts)}`,
    ),
  EXPIRED: (facts, voice) => notSet(facts, voice, `not decided until ${moment(facts.expiresAt)}`),
};

const proposal: Sentence = (facts, voice) => {
  const { currentValue, currentAge, unit } = facts;
  const now =
    currentValue === null ? 'not known' : `${amount(currentValue, unit, voice)}, ${currentAge}`;
  return `Set ${voice.subject(facts)} to ${proposed(facts, voice)} (now ${now}).`;
};

const notSet = (facts: ActionFacts, voice: Voice, why: string): string => {
  const comment = facts.comment === '' ? '' : `, saying ${voice.text(facts.comment, 128)}`;
  return `${voice.subject(facts)} was not set to ${proposed(facts, voice)}: ${why}${comment}. Nothing was written.`;
};

const proposed = ({ proposedValue, unit }: ActionFacts, voice: Voice): string =>
  amount(proposedValue, unit, voice);

const confirmed: Sentence = ({ decidedName }, voice) =>
  `confirmed by ${voice.text(decidedName, 48)}`;

const when = ({ decidedTime }: ActionFacts): string =>
  decidedTime === null ? '' : ` ${moment(decidedTime)}`;

const notes: Sentence = (facts, voice) =>
  notesOf(facts, voice)
    .map((note) => ` ${note}`)
    .join('');

const offline = ({ deviceStatus }: ActionFacts): string =>
  deviceStatus === 'offline' ? ' The device is offline now.' : '';
