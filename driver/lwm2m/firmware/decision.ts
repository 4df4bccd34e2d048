import type { FirmwareEnd, FirmwareUpdate } from '../../sdk/driver.ts';
import { DEFERRED, isFailure, LOST_CONNECTION, reasonOf, State, SUCCESS } from './state.ts';

/** Begins the message of an update that ended because the device refused the order; the reason follows. */
export const REFUSED = 'The device refused';
const MAX_PUSHES = 5;
const MAX_EXECUTIONS = 3;

/**
 * What the device says now; null: it does not say. `isNew`: it registered anew since the last order, and has had time to
 * go on with what it was at.
 */
export type Seen = {
  state: number;
  result: number | null;
  version: string | null;
  isNew: boolean;
};

type Step = 'push' | 'reset' | 'execute' | 'wait';
export type Decision = Step | FirmwareEnd;
type Of = Pick<FirmwareUpdate, 'known' | 'version' | 'uri'>;

/**
 * The next step of an update, from what is known of it and what its device says. Ends VERIFIED only where the device runs
 * the version, and FAILED only where the device said so after it was given the package, or never took it. Whatever it
 * accepted is waited for, and no order that it may be at work on is repeated.
 */
export function decide(update: Of, seen: Seen): Decision {
  const { phase } = update.known;
  if (seen.state === State.UPDATING) return 'wait';
  if (phase === 'BEGUN') return atBegin(update, seen);
  const end = ofWhatItRuns(update, seen);
  if (end) return end;
  return phase === 'UPDATING' ? onceExecuted(update, seen) : beforeExecution(update, seen);
}

/** What an update that ended without certainty has turned out to be; null: nothing new is known. */
export function decideDeferred(update: Of, seen: Seen): FirmwareEnd | null {
  if (seen.state === State.UPDATING) return null;
  const result = news(update, seen);
  const isRefused = isFailure(result) && result !== LOST_CONNECTION;
  return ofWhatItRuns(update, seen) ?? (isRefused ? refused(result) : null);
}

function atBegin({ version }: Of, seen: Seen): Decision {
  // A package of others, or of an update of which nothing is known any more.
  if (seen.state !== State.IDLE) return 'reset';
  return seen.version === version
    ? { end: 'VERIFIED', message: `The device ran ${version} before; nothing was sent` }
    : 'push';
}

/** It runs the version and did not before; where that is not known, its own word on this update has to be added. */
function ofWhatItRuns(update: Of, seen: Seen): FirmwareEnd | null {
  const { version, known } = update;
  if (seen.version !== version || known.versionBefore === version) return null;
  if (known.versionBefore === null && news(update, seen) !== SUCCESS) return null;
  return { end: 'VERIFIED', message: `The device runs ${version}` };
}

/** The Update Result of this update; null while it is the one of before (OMA Core 1.1, E.6: Update Result). */
function news({ known: { resultBefore } }: Of, { result }: Seen): number | null {
  return result === null || resultBefore === null || result === resultBefore ? null : result;
}

function beforeExecution(update: Of, seen: Seen): Decision {
  const { known, uri } = update;
  const isFetched = uri !== '';
  const hasTaken = isFetched || known.phase === 'DOWNLOADED';
  const result = news(update, seen);
  if (isFailure(result) && result !== LOST_CONNECTION) return refused(result);
  // A push that broke off may have left a part of the package.
  if (seen.state === State.DOWNLOADING) return hasTaken ? 'wait' : 'reset';
  if (seen.state === State.DOWNLOADED) return hasTaken ? 'execute' : 'reset';
  if (known.answer === 'REFUSED') return failed(`${REFUSED} the package`);
  if (result === LOST_CONNECTION) return again(update, failed(textOf(result)));
  if (!hasTaken) return again(update, failed('the package did not arrive'));
  // It may be slow to begin, or at work on what was sent to it without saying so.
  if (known.answer !== 'NONE' && !seen.isNew) return 'wait';
  return again(update, unknown('the device is idle, and gives no reason'));
}

function onceExecuted(update: Of, seen: Seen): Decision {
  const { known } = update;
  const { answer } = known;
  const result = news(update, seen);
  if (isFailure(result)) return refused(result);
  if (seen.state === State.IDLE) return onceIdle(update, seen);
  if (seen.state !== State.DOWNLOADED || answer === 'ACCEPTED' || result === DEFERRED)
    return 'wait';
  const isOver = known.executions >= MAX_EXECUTIONS;
  if (answer === 'REFUSED') return isOver ? failed(`${REFUSED} to install the package`) : 'execute';
  // An execution without an answer may be what it is at work on, unless it came back since.
  return !isOver && (answer === 'NONE' || seen.isNew) ? 'execute' : 'wait';
}

/** Idle after the execution of Update: the device came to its end, or lost its power on the way. */
function onceIdle(update: Of, seen: Seen): Decision {
  const { version, known } = update;
  // A version from before its restart says nothing.
  if (!seen.isNew || seen.version === version) return 'wait';
  const isSuccess = news(update, seen) === SUCCESS;
  if (seen.version === null)
    return isSuccess
      ? unknown('The device says that it was updated; what it runs now could not be read')
      : 'wait';
  const isSame = seen.version === known.versionBefore;
  if (isSuccess) {
    const before = isSame ? ', as before' : '';
    const message = `The device says that it was updated, and runs ${seen.version}${before}`;
    return { end: 'MISMATCH', message };
  }
  if (isSame || known.versionBefore === null) return 'wait';
  return { end: 'MISMATCH', message: `The device is idle again and runs ${seen.version}` };
}

function again({ known }: Of, { end, message }: FirmwareEnd): Decision {
  return known.pushes < MAX_PUSHES
    ? 'push'
    : { end, message: `After ${known.pushes} attempts: ${message}` };
}

const failed = (message: string): FirmwareEnd => ({ end: 'FAILED', message });
const unknown = (message: string): FirmwareEnd => ({ end: 'UNKNOWN', message });
const textOf = (result: number): string => reasonOf(result) ?? `it gives the result ${result}`;
const refused = (result: number): FirmwareEnd => failed(`The device says: ${textOf(result)}`);
