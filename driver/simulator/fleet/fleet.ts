import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { noCounts, type Summary } from './counts.ts';
import { type Member, type MemberOptions, startMember } from './member.ts';

/** Devices that start, or end, together: a fleet must not be a storm by itself. */
const SLICE = 50;
const SLICE_MS = 100;
const STOP_SLICE = 500;
/** Parts of a turn: the devices take their turns one part after the other. */
const PARTS = 20;

export type Fleet = {
  summary(): Summary;
  /** Begins no more faults. */
  calm(): void;
  /** De-registers every device; resolves when all sockets are closed. */
  stop(): Promise<void>;
};

/** Devices with these names in one process, each with a socket of its own, because its address is what tells it apart. */
export async function startFleet(
  endpoints: readonly string[],
  options: MemberOptions & { turnMs: number },
  isWanted: () => boolean = () => true,
  clock: Clock = systemClock,
): Promise<Fleet> {
  const counts = noCounts();
  const members: Member[] = [];
  let part = 0;
  // One timer for all: each tick is the turn of one part of the devices.
  const cancel = clock.every(options.turnMs / PARTS, () => {
    part = (part + 1) % PARTS;
    for (let index = part; index < members.length; index += PARTS) members[index]?.turn();
  });

  async function stop(): Promise<void> {
    cancel();
    for (const slice of slicesOf(members, STOP_SLICE))
      await Promise.all(slice.map((member) => member.stop()));
  }

  try {
    for (const slice of slicesOf(endpoints, SLICE)) {
      if (!isWanted()) break;
      members.push(
        ...(await Promise.all(slice.map((name) => startMember(name, options, counts, clock)))),
      );
      const { promise, resolve } = Promise.withResolvers<void>();
      clock.after(SLICE_MS, resolve);
      await promise;
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    summary() {
      for (const member of members) member.account();
      const registered = members.filter((member) => member.isRegistered()).length;
      const observed = members.reduce((sum, member) => sum + member.observed(), 0);
      return { devices: members.length, registered, observed, ...counts };
    },
    calm: cancel,
    stop,
  };
}

function* slicesOf<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
