import { moment, quoted } from '../../kernel/sentence/voice.ts';
import type { CommandFacts } from '../command/facts.ts';
import { commandEnd, type Outcome, reasonOf, waiting } from '../command/outcome.ts';
import type { CommandStatus } from '../command/state.ts';

type CallFacts = {
  commandCode: string;
  deviceName: string;
  status: CommandStatus;
  errorCode: string;
  sendTime: string | null;
  waits: CommandFacts['waits'];
};

/**
 * The outcome of a call of a custom command: the platform cannot read it back, so the device's answer
 * decides.
 */
export function callOutcome(facts: CallFacts): Outcome {
  const status = commandEnd(facts.status, 'NONE');
  return { status, done: status === 'EXECUTED', say: sentences[status](facts) };
}

const subject = ({ commandCode, deviceName }: CallFacts): string =>
  `${quoted(commandCode)} on ${quoted(deviceName)}`;

const sent = ({ sendTime }: CallFacts): string =>
  sendTime === null ? 'not sent yet' : `sent ${moment(sendTime)}`;

const underWay = (facts: CallFacts): string =>
  `${sent(facts)}${facts.sendTime === null ? '' : ', no answer yet'}`;

const sentences: Record<Outcome['status'], (facts: CallFacts) => string> = {
  UNDERWAY: (facts) =>
    `Call of ${subject(facts)}: ${facts.waits === null ? underWay(facts) : waiting(facts.waits)}.`,
  EXECUTED: (facts) => `${subject(facts)} was called: ${sent(facts)}, the device accepted it.`,
  MISMATCH: (facts) => `${subject(facts)} was called, and what came of it is not known.`,
  FAILED: (facts) => `${subject(facts)} was not done: ${reasonOf(facts)}.`,
  UNKNOWN: (facts) =>
    `Not known whether ${subject(facts)} was done: ${sent(facts)}, ${reasonOf(facts)}. Look before repeating it.`,
};
