import type { Clock } from '../../../src/kernel/clock.ts';
import { CoapFailure } from '../../coap/contract.ts';
import { DriverFailure, type FirmwareEnd, type FirmwareUpdate } from '../../sdk/driver.ts';
import type { Send } from '../operation/request.ts';
import type { Registration } from '../registration/registration.ts';
import { type Decision, decide, decideDeferred, REFUSED, type Seen } from './decision.ts';
import { type FirmwareObject, firmwareObject, type Observe } from './object.ts';
import { sendOrder } from './order.ts';
import { createPollInterval, type PollInterval } from './poll-interval.ts';
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
export async function updateFirmware(
  update: FirmwareUpdate,
  parts: Parts,
): Promise<FirmwareEnd | null> {
  const run = new UpdateRun(update, parts);
  try {
    for (;;) {
      const registration = parts.registration();
      if (!registration || !update.isWanted()) return null;
      if (!parts.isAwake(registration))
        throw new DriverFailure('ASLEEP', 'The device sleeps; the update goes on when it wakes');
      const end = await run.round(registration);
      if (end !== undefined) return end;
    }
  } finally {
    run.unwatch();
  }
}

class UpdateRun {
  readonly #update: FirmwareUpdate;
  readonly #parts: Parts;
  readonly #polls: PollInterval;
  #refusals = 0;
  #refusal = '';
  #resets = 0;
  #isMismatch = false;
  /** The registration that the update follows, and the function that stops its reports; a report ends a pause early. */
  #watchedId = '';
  #watchedEnds: (() => void)[] = [];

  constructor(update: FirmwareUpdate, parts: Parts) {
    this.#update = update;
    this.#parts = parts;
    this.#polls = createPollInterval(parts.clock);
  }

  /** Undefined: it goes on. */
  async round(registration: Registration): Promise<FirmwareEnd | null | undefined> {
    const update = this.#update;
    const { clock, registration: registrationNow } = this.#parts;
    const isSame = () => registrationNow()?.id === registration.id && update.isWanted();
    const send = sendWhile(isSame, this.#parts);
    const object = firmwareObject(send, registration, () => clock.now());
    const seen = await this.#look(object, registration);
    if (update.hasEnded) {
      await update.reported(seen);
      return decideDeferred(update, seen);
    }
    this.#learn(seen);
    await update.reported(seen, stateText(seen.state));
    const next = decide(update, seen);
    if (typeof next !== 'string') return this.#ended(next, registration);
    if (clock.now() >= update.deadline) return outOfTime(update, seen);
    await this.#step(next, object, { registration, seen, isSame });
    return undefined;
  }

  unwatch(): void {
    for (const end of this.#watchedEnds.splice(0)) end();
  }

  async #look(object: FirmwareObject, { id, objectsAt }: Registration): Promise<Seen> {
    const state = await object.state();
    const result = await object.result();
    const version = await object.version();
    this.#polls.saw([id, state, result, version].join(' '));
    const { session } = this.#update.known;
    const isOther = session !== '' && session !== id;
    const isNew = isOther && this.#parts.clock.now() - objectsAt >= SETTLE_MS;
    return { state, result, version, isNew };
  }

  #learn({ state, result, version }: Seen): void {
    const { known, uri } = this.#update;
    if (known.phase === 'BEGUN') known.versionBefore ??= version;
    // Whatever it says from now on is about this update.
    else if (result === 0) known.resultBefore = 0;
    const isFetched = known.phase === 'SENDING' && uri !== '';
    if (isFetched && state === State.DOWNLOADED) known.phase = 'DOWNLOADED';
  }

  /** A mismatch is looked at twice: the device may be about to restart. */
  async #ended(end: FirmwareEnd, registration: Registration): Promise<FirmwareEnd | undefined> {
    const isRefusal = end.end === 'FAILED' && end.message.startsWith(REFUSED);
    if (isRefusal && this.#refusal !== '')
      return { ...end, message: `${end.message}: ${this.#refusal}` };
    const isOver = this.#parts.clock.now() >= this.#update.deadline;
    if (end.end !== 'MISMATCH' || this.#isMismatch || isOver) return end;
    this.#isMismatch = true;
    await this.#pause(registration);
    return undefined;
  }

  async #step(
    next: Exclude<Decision, FirmwareEnd>,
    object: FirmwareObject,
    at: { registration: Registration; seen: Seen; isSame(): boolean },
  ): Promise<void> {
    const update = this.#update;
    const { registration, isSame } = at;
    if (next === 'push') {
      const image = update.uri === '' ? await update.image() : null;
      await this.#order('SENDING', at, () =>
        image ? pushAll(object, image, update, isSame) : object.fetchFrom(update.uri),
      );
      if (image && update.known.answer === 'ACCEPTED') {
        update.known.phase = 'DOWNLOADED';
        return;
      }
    }
    if (next === 'execute') await this.#order('UPDATING', at, () => object.install());
    if (next === 'reset' && this.#resets < MAX_RESETS) {
      this.#resets += 1;
      await update.mayBegin();
      await object.reset();
      if (this.#resets === 1) return;
    }
    if (next === 'wait') await this.#watch(object, registration);
    await this.#pause(registration);
  }

  async #order(
    phase: 'SENDING' | 'UPDATING',
    { registration: { id: session }, seen }: { registration: Registration; seen: Seen },
    sending: () => Promise<void>,
  ): Promise<void> {
    const how = { phase, session, resultBefore: seen.result };
    const refusal = await sendOrder(this.#update, how, sending);
    if (refusal === null) return;
    this.#refusals += 1;
    this.#refusal = refusal;
  }

  /** The reports of a device end a pause early. */
  async #watch(object: FirmwareObject, { id }: Registration): Promise<void> {
    if (this.#watchedId === id) return;
    this.unwatch();
    this.#watchedId = id;
    this.#watchedEnds = await object.watch(this.#parts.observe, () => this.#polls.stirred());
  }

  /** Ends early with a registration anew, and when the device falls asleep: it may not listen for long. */
  #pause(registration: Registration): Promise<void> {
    const { registration: registrationNow, isAwake } = this.#parts;
    const update = this.#update;
    const isOver = (): boolean =>
      registrationNow()?.id !== registration.id || !isAwake(registration) || !update.isWanted();
    const { phase, answer } = update.known;
    const isRefused = phase === 'UPDATING' && answer === 'REFUSED';
    const leastMs = isRefused ? REFUSED_MS * this.#refusals : undefined;
    return update.rest(this.#polls.pause(update.deadline, isOver, leastMs));
  }
}

async function pushAll(
  object: FirmwareObject,
  image: Buffer,
  update: FirmwareUpdate,
  isWanted: () => boolean,
): Promise<void> {
  const sent = (bytes: number): void => update.sent(bytes);
  await object.push(image, { again: BLOCK_AGAIN, sent, isWanted }, update.deadline);
  sent(image.length);
}

/** A device that registers anew answers no request of before: its exchanges need not run out. */
function sendWhile(isSame: () => boolean, { send, clock }: Pick<Parts, 'send' | 'clock'>): Send {
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

function outOfTime({ known }: FirmwareUpdate, { state, result, version }: Seen): FirmwareEnd {
  const runs = version === null ? '' : `, and it says that it runs ${version}`;
  if (known.phase === 'BEGUN')
    return { end: 'FAILED', message: `The time is over: nothing was sent to the device${runs}` };
  const isPutOff = result === DEFERRED && result !== known.resultBefore;
  const answer = `${stateText(state)}${isPutOff ? ' and put the update off' : ''}`;
  return { end: 'UNKNOWN', message: `The time is over. ${answer}${runs}` };
}
