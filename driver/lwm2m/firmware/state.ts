/** State, resource 3 of object 5 (OMA Core 1.1, E.6). */
export const State = { IDLE: 0, DOWNLOADING: 1, DOWNLOADED: 2, UPDATING: 3 } as const;

/** Update Result, resource 5 of object 5 (OMA Core 1.1, E.6). */
export const SUCCESS = 1;
export const LOST_CONNECTION = 4;
/** The device installs later, when it suits it: no failure. */
export const DEFERRED = 11;

const FAILURES: Readonly<Record<number, string>> = {
  2: 'it has not enough storage for the package',
  3: 'it ran out of memory while it downloaded',
  [LOST_CONNECTION]: 'it lost the connection while it downloaded',
  5: 'the package did not pass its integrity check',
  6: 'it does not know the type of the package',
  7: 'it cannot use the address of the package',
  8: 'the installation failed',
  9: 'it does not speak the protocol of the address',
  10: 'the update was cancelled there',
};

export const reasonOf = (result: number): string | undefined => FAILURES[result];

/** A result that the standard does not list says nothing: a later edition may mean no failure by it. */
export const isFailure = (result: number | null): result is number =>
  result !== null && result in FAILURES;

const STATES: Readonly<Record<number, string>> = {
  [State.IDLE]: 'The device is idle',
  [State.DOWNLOADING]: 'The device has a part of the package',
  [State.DOWNLOADED]: 'The device has the package',
  [State.UPDATING]: 'The device installs the package',
};

export const stateText = (state: number): string =>
  STATES[state] ?? `The device is in state ${state}`;
