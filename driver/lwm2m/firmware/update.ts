import type { Clock } from '../../../src/core/clock.ts';
import { CoapFailure } from '../../coap/contract.ts';
import { DriverFailure, type FirmwareEnd, type FirmwareUpdate } from '../../sdk/driver.ts';
import type { Registration } from '../registration/registration.ts';
import type { Send } from '../resource/request.ts';
import { decide, type Seen, State } from './decision.ts';
import { firmwareObject } from './object.ts';

/** Between two looks at a device that is at work by itself. */
const LOOK_MS = 2_000;
const PART_MS = 250;
/** How often a block of a package is sent as a new message, each repeated by CoAP itself. */
const BLOCK_AGAIN = 1;
const MAX_RESETS = 3;

type Parts = {
  send: Send;
  clock: Clock;
  /** The registration of the device now; null once it is gone. */
  registration(): Registration | null;
  /** Whether it listens now. */
  isAwake(registration: Registration): boolean;
};

/**
 * Follows the state machine of object 5 (OMA Core 1.1, E.6) until the device has come to an end; null where it has to be
 * gone on with later. Each round begins with what the device says. Throws `DriverFailure` for a device that is silent
 * or sleeps.
 */
export async function updateFirmware(
  update: FirmwareUpdate,
  { send, clock, registration: registrationNow, isAwake }: Parts,
): Promise<FirmwareEnd | null> {
  const { known } = update;
  /** When this run executed Update, what the device refused, and how often it was to be idle. */
  const run: { toldAt: number | null; refusal: DriverFailure | null; resets: number } = {
    toldAt: null,
    refusal: null,
    resets: 0,
  };

  for (;;) {
    const registration = registrationNow();
    if (!registration || !update.isWanted()) return null;
    if (!isAwake(registration))
      throw new DriverFailure('ASLEEP', 'The device sleeps; the update goes on when it wakes');
    const isSame = () => registrationNow()?.id === registration.id && update.isWanted();
    const object = firmwareObject(whileIs(isSame), registration, () => clock.now());
    const seen = await look();
    if (known.phase === 'BEGUN') known.versionBefore ??= seen.version;
    if (known.phase === 'SENDING' && update.uri !== '' && seen.state === State.DOWNLOADED)
      known.phase = 'DOWNLOADED';
    await update.said(seen, TEXT[seen.state]);
    const next = decide(update, seen);
    if (typeof next !== 'string') return next;
    if (clock.now() >= update.deadline) return outOfTime(update, seen);
    if (next === 'push' && run.refusal) return refusedBy(run.refusal);
    if (next === 'push') await push();
    if (next === 'execute') await install();
    if (next === 'reset') {
      run.resets += 1;
      if (run.resets > MAX_RESETS)
        return { end: 'FAILED', message: 'The device keeps a package of before' };
      await object.reset();
    }
    if (next === 'wait') await pause();

    async function look(): Promise<Seen> {
      const [state, result, version] = [
        await object.state(),
        await object.result(),
        await object.version(),
      ];
      // After a restart of this driver the registration that is there counts as new.
      const isNew = run.toldAt === null || (registration?.objectsAt ?? 0) > run.toldAt;
      return { state, result, version, isNew };
    }

    async function push(): Promise<void> {
      const image = update.uri === '' ? await update.image() : null;
      known.phase = 'SENDING';
      known.pushes += 1;
      await update.said(null);
      try {
        if (image) {
          await sendAll(image);
          known.phase = 'DOWNLOADED';
        } else {
          await object.fetchFrom(update.uri);
          await pause();
        }
      } catch (error) {
        if (!(error instanceof DriverFailure) || error.code !== 'DEVICE_REFUSED') throw error;
        // A package that is incomplete there, or an error of the device itself, is worth another attempt.
        if (!/4\.08|5\./.test(error.message)) run.refusal = error;
      }
    }

    async function sendAll(image: Buffer): Promise<void> {
      const upload = {
        again: BLOCK_AGAIN,
        sent: (bytes: number) => update.sent(bytes),
        isWanted: isSame,
      };
      await object.push(image, upload, update.deadline);
      update.sent(image.length);
    }

    async function install(): Promise<void> {
      known.phase = 'UPDATING';
      known.executions += 1;
      run.toldAt = clock.now();
      await update.said(null);
      await object.install();
      await pause();
    }
  }

  /** A device that registers anew answers no request of before: its exchanges need not run out. */
  function whileIs(isSame: () => boolean): Send {
    return async (peer, request) => {
      const gone = Promise.withResolvers<never>();
      const cancel = clock.every(LOOK_MS, () => {
        if (!isSame()) gone.reject(new CoapFailure('closed', 'the device registered anew'));
      });
      const sending = send(peer, request);
      sending.catch(() => {});
      return Promise.race([sending, gone.promise]).finally(cancel);
    };
  }

  /** Ends early with a registration anew: a device in queue mode may not listen for long. */
  async function pause(): Promise<void> {
    const before = registrationNow()?.id;
    for (let waitedMs = 0; waitedMs < LOOK_MS; waitedMs += PART_MS) {
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(PART_MS, resolve);
      await promise;
      if (registrationNow()?.id !== before) return;
    }
  }
}

const TEXT: Readonly<Record<number, string>> = {
  0: 'The device is idle',
  1: 'The device has a part of the package',
  2: 'The device has the package',
  3: 'The device installs the package',
};

const refusedBy = ({ message }: DriverFailure): FirmwareEnd => ({
  end: 'FAILED',
  message: `The package was refused: ${message}`,
});

function outOfTime({ known }: FirmwareUpdate, { state, version }: Seen): FirmwareEnd {
  const runs = version === null ? '' : `, and it says that it runs ${version}`;
  if (known.phase === 'BEGUN')
    return { end: 'FAILED', message: `The time is over: nothing was sent to the device${runs}` };
  const said = TEXT[state] ?? `The device is in state ${state}`;
  return { end: 'UNKNOWN', message: `The time is over. ${said}${runs}` };
}
