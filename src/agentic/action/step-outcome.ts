import type { CommandTruth } from '../../data/command/facts.ts';
import { type Outcome, ofItself } from '../../data/command/outcome.ts';
import { amount, type Voice } from '../../kernel/sentence/voice.ts';
import type { WriteView } from './card/card.ts';
import { asked, hasOtherValue, valueOf } from './card/now.ts';
import { type ActionStatus, isEnd } from './kind/status.ts';

/** WAITING can still be sent, NOT_SENT cannot; the others as of a command. */
export const STEP_STATUSES = [
  'WAITING',
  'UNDERWAY',
  'EXECUTED',
  'MISMATCH',
  'FAILED',
  'UNKNOWN',
  'NOT_SENT',
] as const;
type StepStatus = (typeof STEP_STATUSES)[number];

/** One of several writes: its card, its command once its turn has come, and why the action stopped before it. */
export type StepFacts = WriteView & { command: CommandTruth | null; refusal: string };

const MAX_REFUSAL = 240;
/** More would not fit into one sentence; each step says the rest. */
const MAX_LISTED = 5;

/** Status and sentence of one step, in an action of this status. */
export function stepOutcome(
  step: StepFacts,
  action: ActionStatus,
  voice: Voice,
): Pick<Outcome<StepStatus>, 'status' | 'say'> {
  if (step.command !== null) {
    const { status, say } = ofItself({ ...step, ...step.command }, '', voice);
    return { status, say };
  }
  const what = `${voice.subject(step)} was not set to ${proposed(step, voice)}`;
  if (step.refusal !== '')
    return { status: 'NOT_SENT', say: `${what}: not sent: ${reason(step, voice)}.` };
  if (isEnd(action)) return { status: 'NOT_SENT', say: `${what}: not sent.` };
  return {
    status: 'WAITING',
    say: `Set ${voice.subject(step)} to ${proposed(step, voice)}: not sent yet.`,
  };
}

/** How far a confirmed action has come: the step that it is at or stopped at, those before it and those after it. */
export function progressOf(
  steps: readonly StepFacts[],
  action: ActionStatus,
  confirmed: string,
  voice: Voice,
): string {
  const count = steps.length;
  const refused = steps.findIndex(({ refusal }) => refusal !== '');
  const sent = steps.findLastIndex(({ command }) => command !== null);
  const at = refused >= 0 ? refused : Math.max(sent, 0);
  const step = steps[at];
  if (!step) return 'There is nothing to write.';
  const { status, say } = stepOutcome(step, action, voice);
  const before = spanOf(0, at);
  const after = spanOf(at + 1, count);
  const written = before === '' ? '' : ` ${before} written and read back.`;
  if (action === 'EXECUTED')
    return `All ${count} writes were made in their order, ${confirmed}; the last: ${say}${written}`;
  if (action !== 'CONFIRMED') {
    const unwritten = at === 0 && ['FAILED', 'NOT_SENT'].includes(status);
    const rest = after === '' ? '' : ` ${after} not sent.`;
    return `Stopped at write ${at + 1} of ${count}, ${confirmed}: ${say}${written}${rest}${unwritten ? ' Nothing was written.' : ''}`;
  }
  const rest = after === '' ? '' : ` ${after} not sent yet.`;
  const place = status === 'EXECUTED' ? 'made, the next one follows' : 'under way';
  return `Write ${at + 1} of ${count} is ${place}, ${confirmed}: ${say}${written}${rest}`;
}

/** The steps from index `from` up to `to` (excluded) as the beginning of a sentence; empty for none. */
function spanOf(from: number, to: number): string {
  if (from >= to) return '';
  return to - from === 1 ? `Write ${to} was` : `Writes ${from + 1} to ${to} were`;
}

/** What is to be written, in its order. */
export function listOf(steps: readonly StepFacts[], voice: Voice): string {
  const shown = steps
    .slice(0, MAX_LISTED)
    .map((step, index) => `${index + 1}. ${voice.subject(step)} to ${proposed(step, voice)}`);
  const more = steps.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
}

/** Which of them go to a device that is not online, and which values moved since they were proposed. */
export function devicesOf(steps: readonly StepFacts[], voice: Voice): string {
  const named = (is: (step: StepFacts) => boolean): number[] =>
    steps.flatMap((step, index) => (is(step) ? [index + 1] : []));
  const never = named(({ now }) => now?.neverConnected === true);
  const offline = named(({ now }) => now?.deviceStatus === 'offline' && !now.neverConnected);
  const back = named(
    ({ deviceStatus, now }) => deviceStatus === 'offline' && now?.deviceStatus === 'online',
  );
  const was = named(({ deviceStatus, now }) => deviceStatus === 'offline' && now === null);
  return [
    ...sentence(offline, 'is offline now', 'are offline now'),
    ...sentence(never, 'has never connected', 'have never connected'),
    ...sentence(
      back,
      'was offline when this was proposed; it is online now',
      'were offline when this was proposed; they are online now',
    ),
    ...sentence(was, 'was offline when proposed', 'were offline when proposed'),
    ...moved(steps, voice),
  ].join('');
}

function sentence(numbers: readonly number[], one: string, several: string): string[] {
  const [first, ...more] = numbers;
  if (first === undefined) return [];
  return more.length === 0
    ? [` The device of write ${first} ${one}.`]
    : [` The devices of writes ${numbers.join(', ')} ${several}.`];
}

/** The values that are others than the card showed. */
function moved(steps: readonly StepFacts[], voice: Voice): string[] {
  const all = steps.flatMap((step, index) =>
    hasOtherValue(step) ? [` The value of write ${index + 1} moved: ${valueOf(step, voice)}.`] : [],
  );
  const more = all.length - MAX_LISTED;
  return more > 0 ? [...all.slice(0, MAX_LISTED), ` ${more} more values moved.`] : all;
}

const proposed = ({ proposedValue, unit, askedAs }: StepFacts, voice: Voice): string =>
  `${amount(proposedValue, unit, voice)}${asked(askedAs, voice)}`;

const reason = ({ refusal }: StepFacts, voice: Voice): string =>
  voice.sentence(refusal, MAX_REFUSAL);
