import type { Clock } from '../../../src/kernel/clock.ts';
import { CoapFailure } from '../../coap/contract.ts';
import { DriverFailure, type FirmwareEnd, type FirmwareUpdate } from '../../sdk/driver.ts';
import type { Send } from '../operation/request.ts';
import type { Registration } from '../registration/registration.ts';
import { answerAfter } from './answer.ts';
import { type Decision, decide, decideDeferred, REFUSED, type Seen } from './decision.ts';
import { type FirmwareObject, firmwareObject, type Observe } from './object.ts';
import { createPollInterval } from './poll-interval.ts';
import { DEFERRED, State, stateText } from './state.ts';

/** Between two looks at whether the device that is asked is still registered as it was. */
const SAME_MS = 2_000;
/** How long a device that registered anew has to go on with what it was at. */
const SETTLE_MS = 30_000;
/** Between two orders to install of which the device refused the first. */
const REFUSED_MS = 30_000;
/** How often a block of a package is sent as a new message, each repeated by CoAP itself. */
const BLOCK_AGAIN = 1;
const MAX_RESETS = 3;

type Parts = {
  send: Send;
  observe: Observe;
  clock: Clock;
  /** The registration of the device now; null once it is gone. */
  registration(): Registration | null;
  /** Whether it listens now. */
  isAwake(registration: Registration): boolean;
};

/**
 * Follows the state machine of object 5 (OMA Core 1.1, E.6) until the device has come to an end or its time is over; null
 * where it has to be gone on with later, or an update that has ended is as unclear as before. Each round begins with what
 * the device says. Throws `DriverFailure` for a device that is silent or sleeps.
 */
// oxlint-disable-next-line max-lines-per-function
export async function updateFirmware(
  update: FirmwareUpdate,
  { send, observe, clock, registration: registrationNow, isAwake }: Parts,
): Promise<FirmwareEnd | null> {
  const { known } = update;
  const polls = createPollInterval(clock);
  /** What the device refused in this run, how often it was to be idle, and whether its mismatch was seen once. */
  const run = { refusals: 0, refusal: '', resets: 0, isMismatch: false };
  const watched: { as: string; ends: (() => void)[] } = { as: '', ends: [] };

  try {
    for (;;) {
      const registration = registrationNow();
      if (!registration || !update.isWanted()) return null;
      if (!isAwake(registration))
        throw new DriverFailure('ASLEEP', 'The device sleeps; the update goes on when it wakes');
      const end = await round(registration);
      if (end !== undefined) return end;
    }
  } finally {
    unwatch();
  }

  /** Undefined: it goes on. */
  async function round(registration: Registration): Promise<FirmwareEnd | null | undefined> {
    const isSame = () => registrationNow()?.id === registration.id && update.isWanted();
    const object = firmwareObject(whileIs(isSame), registration, () => clock.now());
    const seen = await look(object, registration);
    if (update.hasEnded) {
      await update.reported(seen);
      return decideDeferred(update, seen);
    }
    learn(seen);
    await update.reported(seen, stateText(seen.state));
    const next = decide(update, seen);
    if (typeof next !== 'string') return ended(next, registration);
    if (clock.now() >= update.deadline) return outOfTime(update, seen);
    await step(next, object, { registration, seen, isSame });
    return undefined;
  }

  async function look(object: FirmwareObject, { id, objectsAt }: Registration): Promise<Seen> {
    const state = await object.state();
    const result = await object.result();
    const version = await object.version();
    polls.saw([id, state, result, version].join(' '));
    const isOther = known.session !== '' && known.session !== id;
    const isNew = isOther && clock.now() - objectsAt >= SETTLE_MS;
    return { state, result, version, isNew };
  }

  function learn({ state, result, version }: Seen): void {
    if (known.phase === 'BEGUN') known.versionBefore ??= version;
    // Whatever it says from now on is about this update.
    else if (result === 0) known.resultBefore = 0;
    const isFetched = known.phase === 'SENDING' && update.uri !== '';
    if (isFetched && state === State.DOWNLOADED) known.phase = 'DOWNLOADED';
  }

  /** A mismatch is looked at twice: the device may be about to restart. */
  async function ended(
    end: FirmwareEnd,
    registration: Registration,
  ): Promise<FirmwareEnd | undefined> {
    const isRefusal = end.end === 'FAILED' && end.message.startsWith(REFUSED);
    if (isRefusal && run.refusal !== '')
      return { ...end, message: `${end.message}: ${run.refusal}` };
    if (end.end !== 'MISMATCH' || run.isMismatch || clock.now() >= update.deadline) return end;
    run.isMismatch = true;
    await pause(registration);
    return undefined;
  }

  async function step(
    next: Exclude<Decision, FirmwareEnd>,
    object: FirmwareObject,
    at: { registration: Registration; seen: Seen; isSame(): boolean },
  ): Promise<void> {
    const { registration, isSame } = at;
    if (next === 'push') {
      const image = update.uri === '' ? await update.image() : null;
      known.pushes += 1;
      await order('SENDING', at, () =>
        image ? pushAll(object, image, isSame) : object.fetchFrom(update.uri),
      );
      if (image && known.answer === 'ACCEPTED') {
        known.phase = 'DOWNLOADED';
        return;
      }
    }
    if (next === 'execute') {
      known.executions += 1;
      await order('UPDATING', at, () => object.install());
    }
    if (next === 'reset' && run.resets < MAX_RESETS) {
      run.resets += 1;
      await update.mayBegin();
      await object.reset();
      if (run.resets === 1) return;
    }
    if (next === 'wait') await watch(object, registration);
    await pause(registration);
  }

  async function pushAll(
    object: FirmwareObject,
    image: Buffer,
    isWanted: () => boolean,
  ): Promise<void> {
    const sent = (bytes: number): void => update.sent(bytes);
    await object.push(image, { again: BLOCK_AGAIN, sent, isWanted }, update.deadline);
    sent(image.length);
  }

  /** Sends an order to the device, once the platform knows of it. */
  async function order(
    phase: 'SENDING' | 'UPDATING',
    { registration, seen }: { registration: Registration; seen: Seen },
    sending: () => Promise<void>,
  ): Promise<void> {
    const count = phase === 'SENDING' ? 'pushes' : 'executions';
    const before = { ...known, [count]: known[count] - 1 };
    const session = registration.id;
    Object.assign(known, { phase, answer: 'SENT', session, resultBefore: seen.result });
    try {
      await update.mayBegin();
      await update.willOrder();
    } catch (error) {
      Object.assign(known, before);
      throw error;
    }
    try {
      await sending();
      known.answer = 'ACCEPTED';
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error;
      known.answer = answerAfter(error, phase);
      const isRefused = error.code === 'DEVICE_REFUSED';
      // Of a package that is sent block by block, some may be there.
      const isWhole = phase === 'UPDATING' || update.uri !== '';
      if (known.answer === 'NONE' && !isRefused && isWhole) Object.assign(known, before);
      if (!isRefused) throw error;
      run.refusals += 1;
      run.refusal = error.message;
    }
    await update.reported(null);
  }

  /** The reports of a device end a pause early. */
  async function watch(object: FirmwareObject, { id }: Registration): Promise<void> {
    if (watched.as === id) return;
    unwatch();
    watched.as = id;
    watched.ends = await object.watch(observe, () => polls.stirred());
  }

  function unwatch(): void {
    for (const end of watched.ends.splice(0)) end();
  }

  /** Ends early with a registration anew, and when the device falls asleep: it may not listen for long. */
  function pause(registration: Registration): Promise<void> {
    const isOver = (): boolean =>
      registrationNow()?.id !== registration.id || !isAwake(registration) || !update.isWanted();
    const isRefused = known.phase === 'UPDATING' && known.answer === 'REFUSED';
    const leastMs = isRefused ? REFUSED_MS * run.refusals : undefined;
    return update.rest(polls.pause(update.deadline, isOver, leastMs));
  }

  /** A device that registers anew answers no request of before: its exchanges need not run out. */
  function whileIs(isSame: () => boolean): Send {
    return async (peer, request) => {
      const gone = Promise.withResolvers<never>();
      const cancel = clock.every(SAME_MS, () => {
        if (!isSame()) gone.reject(new CoapFailure('closed', 'the device registered anew'));
      });
      const sending = send(peer, request);
      sending.catch(() => {});
      return Promise.race([sending, gone.promise]).finally(cancel);
    };
  }
}

function outOfTime({ known }: FirmwareUpdate, { state, result, version }: Seen): FirmwareEnd {
  const runs = version === null ? '' : `, and it says that it runs ${version}`;
  if (known.phase === 'BEGUN')
    return { end: 'FAILED', message: `The time is over: nothing was sent to the device${runs}` };
  const isPutOff = result === DEFERRED && result !== known.resultBefore;
  const answer = `${stateText(state)}${isPutOff ? ' and put the update off' : ''}`;
  return { end: 'UNKNOWN', message: `The time is over. ${answer}${runs}` };
}
