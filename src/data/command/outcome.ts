import { amount, byName, moment, type Voice } from '../../kernel/sentence/voice.ts';
import type { CommandEnd, CommandFacts } from './facts.ts';
import { isTerminal, type CommandStatus, type Verification } from './state.ts';

/** A command for its readers; every door shows these three fields. */
export type Outcome<Status extends string = CommandEnd | 'UNDERWAY'> = {
  status: Status;
  /** The device accepted it, and the read-back does not contradict. */
  done: boolean;
  /** One sentence with the known facts, and no more. */
  say: string;
};

/** FAILED only if certainly not done: a refusal, or an expiry before the device got it. */
export function commandEnd(
  status: CommandStatus,
  verification: keyof typeof Verification,
): CommandEnd | 'UNDERWAY' {
  if (!isTerminal(status)) return 'UNDERWAY';
  if (status === 'SUCCESS') return verification === 'MISMATCH' ? 'MISMATCH' : 'EXECUTED';
  return status === 'FAILED' || status === 'EXPIRED' ? 'FAILED' : 'UNKNOWN';
}

/** `decided` is the sentence part about the decision on a write that needed one, else empty. */
export function outcomeOf(facts: CommandFacts, decided = '', voice: Voice = byName): Outcome {
  const { status, done, say } = ofItself(facts, decided, voice);
  const isUnwritten = status === 'FAILED' && facts.requestValue !== null;
  return { status, done, say: isUnwritten ? `${say} Nothing was written.` : say };
}

/** The same without a word on anything else: of a write among several, which others may have followed or preceded. */
export function ofItself(facts: CommandFacts, decided = '', voice: Voice = byName): Outcome {
  const status = commandEnd(facts.status, facts.verification);
  const speak = facts.requestValue === null ? readSentences : writeSentences;
  return { status, done: status === 'EXECUTED', say: speak[status](facts, decided, voice) };
}

type Sentences = Record<
  CommandEnd | 'UNDERWAY',
  (facts: CommandFacts, decided: string, voice: Voice) => string
>;

const writeSentences: Sentences = {
  UNDERWAY(facts, decided, voice) {
    const set = `Set ${voice.subject(facts)} ${fromTo(facts, voice)}${inside(decided)}`;
    if (facts.waits !== null) return `${set}: ${waiting(facts.waits)}.`;
    return facts.sendTime === null
      ? `${set}: not sent yet.`
      : `${set}: sent ${moment(facts.sendTime)}, no answer yet.`;
  },
  EXECUTED(facts, decided, voice) {
    const subject = voice.subject(facts);
    if (facts.verification !== 'VERIFIED') {
      const why = facts.errorCode === '' ? '' : ` (${codeOf(facts)})`;
      return `${subject} was set ${fromTo(facts, voice)}: the device accepted it${at(facts)}${after(decided)}; it was not read back${why}.`;
    }
    const held = facts.readBackValue ?? facts.requestValue ?? '';
    const became = `${was(facts, voice)} became ${amount(held, facts.unit, voice)}`;
    return facts.settledTime !== null && facts.seen
      ? `${subject}${became}: written${at(facts)} without an answer, seen later in the reading of ${moment(facts.seen.time)}${after(decided)}.`
      : `${subject}${became}: written${at(facts)}, read back${after(decided)}.`;
  },
  MISMATCH(facts, decided, voice) {
    const { readBackValue: held, errorCode, unit } = facts;
    const other =
      errorCode === 'READ_BACK_INVALID' || held === null
        ? `what it reads back is no value of the point${held ? ` (${voice.text(held, 64)})` : ''}`
        : `it reads back ${amount(held, unit, voice)}`;
    return `${voice.subject(facts)} did not become ${wanted(facts, voice)}: the device accepted it${at(facts)}${after(decided)}, but ${other}.`;
  },
  FAILED: (facts, decided, voice) =>
    `${voice.subject(facts)} was not set to ${wanted(facts, voice)}${inside(decided)}: ${reasonOf(facts)}.`,
  UNKNOWN(facts, decided, voice) {
    const sent = facts.sendTime === null ? '' : `sent ${moment(facts.sendTime)}, `;
    const doubt = `Not known whether ${voice.subject(facts)} became ${wanted(facts, voice)}${before(facts, voice)}${inside(decided)}: ${sent}${reasonOf(facts)}.`;
    return `${doubt}${evidence(facts, voice)}`;
  },
};

const readSentences: Sentences = {
  UNDERWAY: (facts, _, voice) =>
    `Reading ${voice.subject(facts)}: ${facts.waits === null ? 'no answer yet' : waiting(facts.waits)}.`,
  EXECUTED: (facts, _, voice) =>
    `${voice.subject(facts)} reads ${amount(facts.responseValue ?? '', facts.unit, voice)}, asked of the device${at(facts)}${doubted(facts)}.`,
  MISMATCH: (facts, _, voice) => `${voice.subject(facts)} was read, but its value is not known.`,
  FAILED: (facts, _, voice) => `${voice.subject(facts)} was not read: ${reasonOf(facts)}.`,
  UNKNOWN: (facts, _, voice) => `${voice.subject(facts)} was not read: ${reasonOf(facts)}.`,
};

/** As its driver said when the command came; what happened since is known with its end alone. */
export const waiting = ({ since, until }: NonNullable<CommandFacts['waits']>): string =>
  `waits for the device to wake, which slept ${moment(since)}; it is sent until ${moment(until)}, or not at all`;

const wanted = (facts: CommandFacts, voice: Voice): string =>
  amount(facts.requestValue ?? '', facts.unit, voice);

const fromTo = (facts: CommandFacts, voice: Voice): string =>
  facts.beforeValue === null
    ? `to ${wanted(facts, voice)}`
    : `from ${amount(facts.beforeValue, facts.unit, voice)} to ${wanted(facts, voice)}`;

const was = ({ beforeValue, unit }: CommandFacts, voice: Voice): string =>
  beforeValue === null ? '' : ` was ${amount(beforeValue, unit, voice)},`;

const before = ({ beforeValue, unit }: CommandFacts, voice: Voice): string =>
  beforeValue === null ? '' : ` (${amount(beforeValue, unit, voice)} before)`;

const at = ({ sendTime }: CommandFacts): string =>
  sendTime === null ? '' : ` ${moment(sendTime)}`;

/** The device answered, but its driver doubts the answer. */
const doubted = (facts: CommandFacts): string =>
  facts.errorCode === '' ? '' : `; the answer is in doubt: ${reasonOf(facts)}`;

/** The evidence on an unknown write, and whether more can come. */
function evidence(facts: CommandFacts, voice: Voice): string {
  const { seen, openUntil, reconfiguredTime, unit } = facts;
  const since =
    reconfiguredTime === null ? '' : ' The device or point was configured anew since it was sent.';
  const still =
    openUntil === null
      ? `${since} No reading proves it any more.`
      : ` A reading can prove it until ${moment(openUntil)}; look before repeating it.`;
  if (!seen) return still;
  return ` The reading of ${moment(seen.time)} is ${amount(seen.value, unit, voice)}, which does not prove it.${still}`;
}

const after = (decided: string): string => (decided === '' ? '' : `, ${decided}`);
const inside = (decided: string): string => (decided === '' ? '' : ` (${decided})`);

/** The driver's error code if it is an identifier, else the status. */
const codeOf = ({ errorCode, status }: Pick<CommandFacts, 'errorCode' | 'status'>): string =>
  /^[A-Z][A-Z0-9_]{0,63}$/.test(errorCode) ? errorCode : status;

/** Words for the platform's own codes, and always the code itself, for searching reports. */
export function reasonOf(facts: Pick<CommandFacts, 'errorCode' | 'status'>): string {
  const code = codeOf(facts);
  const words = reasons.get(code);
  return words === undefined ? code : `${words} (${code})`;
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['TIMEOUT', 'the device did not answer in time'],
  ['NO_ANSWER', 'its driver did not answer'],
  ['DRIVER_RESTARTED', 'its driver stopped meanwhile'],
  ['REDELIVERED', 'it was handed out before and may have been done then'],
  ['NODE_AWAY', 'the driver node that it was for did not serve the device then'],
  ['NOT_TAKEN', 'its driver did not take it in time, and the reason is not known'],
  ['BUS_AWAY', 'the message bus was not there'],
  ['DRIVER_OFFLINE', 'no driver took commands for the device'],
  ['DRIVER_ERROR', 'its driver failed'],
  ['DEVICE_OFFLINE', 'the device was offline'],
  ['DEVICE_UNKNOWN', 'its driver did not know the device'],
  ['DEVICE_DISABLED', 'the device was disabled'],
  ['DEVICE_REFUSED', 'the device refused it'],
  ['BUS_FULL', 'too many commands were waiting'],
  ['UNKNOWN', 'no reason is known'],
  ['FAILED', 'no reason is known'],
  ['DUPLICATE', 'it was delivered again, and how the first ended is not known'],
  ['EXPIRED', 'its time was over before the device was asked'],
  ['VALUE_INVALID', 'the value does not fit the point'],
  ['ASLEEP', 'the device slept until its time was over'],
  ['SLEEPER_FULL', 'too many commands waited for the device to wake'],
  [
    'PEER_CHANGED',
    'another address took the place of the device, which no person had acknowledged',
  ],
  [
    'PEER_UNCOMPARED',
    'the device had registered a moment before, and its address was not compared with the former one yet',
  ],
  ['EFFECT_CHANGED', 'the configuration changed before it reached the device'],
  ['HELD_BACK', 'it was held back before it was sent'],
  ['EFFECT_MISSING', 'it did not say what it was checked to do'],
  ['COAP_RESET', 'the device ended the exchange'],
]);
