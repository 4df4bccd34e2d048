import { DriverFailure } from '../../sdk/driver.ts';
import {
  executeResource,
  readResource,
  type Send,
  uploadResource,
  uriOf,
  writeResource,
} from '../operation/request.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';

/** Object 5 of a device, and the version at object 3 (OMA Core 1.1, E.4 and E.6). Throws `DriverFailure`. */
export type FirmwareObject = {
  state(): Promise<number>;
  /** Null for a device that does not say; so are versions. */
  result(): Promise<number | null>;
  version(): Promise<string | null>;
  /** Back to Idle, whatever it holds. */
  reset(): Promise<void>;
  /** All of the package, block by block. */
  push(image: Buffer, upload: Upload, deadline: number): Promise<void>;
  fetchFrom(uri: string): Promise<void>;
  install(): Promise<void>;
  /** Asks for reports of the state and the result, and answers what ends them; a device need not send any. */
  watch(observe: Observe, changed: () => void): Promise<(() => void)[]>;
};
export type Observe = Lwm2mPorts['observe'];
type Upload = { again: number; sent(bytes: number): void; isWanted(): boolean };

const PATHS = {
  package: [5, 0, 0],
  uri: [5, 0, 1],
  update: [5, 0, 2],
  state: [5, 0, 3],
  result: [5, 0, 5],
  version: [3, 0, 3],
} as const;
/** A single NUL takes a package back (OMA Core 1.1, E.6: Package). */
const NOTHING = Buffer.alloc(1);
const EXCHANGE_MS = 30_000;
const MAX_VERSION = 255;

export function firmwareObject(
  send: Send,
  registration: Registration,
  now: () => number,
): FirmwareObject {
  const at = (name: keyof typeof PATHS, type: 'INT' | 'STRING' | 'OPAQUE') => {
    const [objectId, objectInstanceId, resourceId] = PATHS[name];
    return {
      registration,
      path: { objectId, objectInstanceId, resourceId },
      type,
      executable: false,
      deadline: now() + EXCHANGE_MS,
    } as const;
  };

  async function numberAt(name: 'state' | 'result'): Promise<number> {
    const value = Number(await readResource(send, at(name, 'INT')));
    if (Number.isInteger(value) && value >= 0 && value <= 255) return value;
    throw new DriverFailure('VALUE_INVALID', `the device has no ${name} of its firmware`);
  }

  return {
    state: () => numberAt('state'),
    result: () => orNothing(numberAt('result')),
    version: () =>
      orNothing(readResource(send, at('version', 'STRING')).then((v) => v.slice(0, MAX_VERSION))),
    reset: () => uploadResource(send, at('package', 'OPAQUE'), NOTHING),
    push: (image, upload, deadline) =>
      uploadResource(send, { ...at('package', 'OPAQUE'), deadline }, image, upload),
    fetchFrom: (uri) => writeResource(send, at('uri', 'STRING'), uri),
    install: () => executeResource(send, at('update', 'STRING'), ''),
    async watch(observe, changed) {
      const ends: (() => void)[] = [];
      for (const name of ['state', 'result'] as const) {
        const target = at(name, 'INT');
        const request = { method: 'GET', path: uriOf(target), deadline: target.deadline } as const;
        const observed = await observe(registration.peer, request, changed).catch(() => null);
        if (observed?.running) ends.push(observed.running.end);
      }
      return ends;
    },
  };
}

/** Null where the device answers, and has nothing to say. */
async function orNothing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    const saysNothing =
      error instanceof DriverFailure && /DEVICE_REFUSED|VALUE_INVALID|FORMAT/.test(error.code);
    if (saysNothing) return null;
    throw error;
  }
}
