import type { FirmwareEnd, FirmwareUpdate } from '../../sdk/driver.ts';

/** State, resource 3 of object 5 (OMA Core 1.1, E.6). */
export const State = { IDLE: 0, DOWNLOADING: 1, DOWNLOADED: 2, UPDATING: 3 } as const;
const SUCCESS = 1;
const CONNECTION_LOST = 4;

/** Update Result, resource 5 of object 5 (OMA Core 1.1, E.6). */
const RESULTS: Readonly<Record<number, string>> = {
  2: 'it has not enough storage for the package',
  3: 'it ran out of memory while it downloaded',
  4: 'it lost the connection while it downloaded',
  5: 'the package did not pass its integrity check',
  6: 'it does not know the type of the package',
  7: 'it cannot use the address of the package',
  8: 'the installation failed',
  9: 'it does not speak the protocol of the address',
  10: 'the update was cancelled there',
  11: 'it put the update off',
};

const MAX_PUSHES = 5;
const MAX_EXECUTIONS = 3;

/** What the device says now, and whether it registered since the execution of Update; `version` null: it does not say. */
export type Seen = { state: number; result: number; version: string | null; isNew: boolean };

type Step = 'push' | 'reset' | 'execute' | 'wait';
export type Decision = Step | FirmwareEnd;
type Of = Pick<FirmwareUpdate, 'known' | 'version' | 'uri'>;

/**
 * The next step of an update, from what is known of it and what its device says. Ends VERIFIED only where the device runs
 * the version, and FAILED only where the device said so, never took the package, or runs what it ran before.
 */
export function decide(update: Of, seen: Seen): Decision {
  const { phase } = update.known;
  if (seen.state === State.UPDATING) return 'wait';
  if (phase === 'BEGUN') return atBegin(update, seen);
  if (phase === 'SENDING') return whileSending(update, seen);
  return onceDownloaded(update, seen);
}

function atBegin({ version }: Of, seen: Seen): Decision {
  // A package of others, or of an update of which nothing is known any more.
  if (seen.state !== State.IDLE) return 'reset';
  return seen.version === version
    ? { end: 'VERIFIED', message: `The device ran ${version} before; nothing was sent` }
    : 'push';
}

function whileSending(update: Of, seen: Seen): Decision {
  const { state, result } = seen;
  // A device downloads from its package URI by itself; a push that broke off may have left a part of it.
  if (state === State.DOWNLOADING) return update.uri === '' ? 'reset' : 'wait';
  if (state === State.DOWNLOADED) return update.uri === '' ? 'reset' : 'execute';
  if (result > SUCCESS && result !== CONNECTION_LOST) return refused(result);
  return again(
    update,
    result === CONNECTION_LOST ? reasonOf(result) : 'the package did not arrive',
  );
}

function onceDownloaded(update: Of, seen: Seen): Decision {
  const { known } = update;
  const { state, result } = seen;
  if (state === State.DOWNLOADING) return 'wait';
  if (state === State.DOWNLOADED) {
    if (result > SUCCESS) return refused(result);
    if (result === SUCCESS) return 'wait';
    return known.executions < MAX_EXECUTIONS
      ? 'execute'
      : failed(`It was told ${MAX_EXECUTIONS} times to install the package and still only has it`);
  }
  if (result > SUCCESS) return refused(result);
  if (result === SUCCESS) return ofSuccess(update, seen);
  if (known.executions === 0) return again(update, 'the device lost the package');
  return withoutResult(update, seen);
}

/** The device says that it was updated; what it runs has the last word. */
function ofSuccess({ version, known }: Of, seen: Seen): Decision {
  if (seen.version === version) return verified(version);
  // A version from before its restart says nothing.
  if (!seen.isNew) return 'wait';
  if (seen.version === null)
    return unknown('The device says that it was updated; what it runs now could not be read');
  const same = seen.version === known.versionBefore ? ', as before' : '';
  return {
    end: 'MISMATCH',
    message: `The device says that it was updated, and runs ${seen.version}${same}`,
  };
}

/** Idle after the execution of Update, with no result of it, as after a loss of power. */
function withoutResult({ version, known }: Of, seen: Seen): Decision {
  const { versionBefore } = known;
  if (seen.version === null)
    return unknown(
      'The device is idle again; it says neither how the update went nor what it runs',
    );
  if (seen.version === version)
    return versionBefore === version || versionBefore === null
      ? unknown(`The device runs ${version}; whether it did before, nothing says`)
      : verified(version);
  if (seen.version === versionBefore)
    return failed(`The device is idle again without a result and runs ${seen.version}, as before`);
  return { end: 'MISMATCH', message: `The device is idle again and runs ${seen.version}` };
}

function again({ known }: Of, why: string): Decision {
  return known.pushes < MAX_PUSHES ? 'push' : failed(`After ${known.pushes} attempts: ${why}`);
}

const verified = (version: string): FirmwareEnd => ({
  end: 'VERIFIED',
  message: `The device runs ${version}`,
});
const failed = (message: string): FirmwareEnd => ({ end: 'FAILED', message });
const unknown = (message: string): FirmwareEnd => ({ end: 'UNKNOWN', message });
const reasonOf = (result: number): string => RESULTS[result] ?? `it gives the reason ${result}`;
const refused = (result: number): FirmwareEnd => failed(`The device says: ${reasonOf(result)}`);
