import { randomBytes } from 'node:crypto';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { CoapReply, CoapRequest } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import type { PeerChange } from '../registration/peer-changes.ts';
import { isSameHost } from '../registration/peer.ts';
import type { Registration, Registrations } from '../registration/registration.ts';

/** Whether a peer answers at its address; `busy` when no request could be sent. */
export type Presence = 'present' | 'silent' | 'busy';

/** Time for which an answer proves presence, so that repeated attempts do not cause repeated requests. */
const PRESENT_FOR_MS = 10_000;
const MAX_ASKED = 1_000;

/**
 * Keeps a living registration with its peer on the clear port, where only the address tells two devices
 * apart: another address gets the registration only when the former peer does not answer. A device
 * restarted behind the same address is the same peer; a move to another address is reported.
 */
export function createTakeover({
  registrations,
  ask,
  changed,
  clock,
  log,
}: {
  registrations: Registrations;
  /** Sends the peer one small request, repeated like any other. */
  ask: (registration: Registration) => Promise<Presence>;
  /** Called when a registration moved to another address. */
  changed: (change: PeerChange) => void;
  clock: Clock;
  log: Log;
}): (request: CoapRequest) => Promise<CoapReply> {
  const asked = new Set<string>();
  const present = new Map<string, number>();

  function isPresent({ endpoint }: Registration): boolean {
    const until = present.get(endpoint) ?? 0;
    if (until > clock.now()) return true;
    present.delete(endpoint);
    return false;
  }

  async function presenceOf(registration: Registration): Promise<Presence> {
    const { endpoint, expiresAt, peer } = registration;
    if (isPresent(registration)) return 'present';
    // One request at a time for each registration, whatever the number of claimants.
    if (asked.has(endpoint) || asked.size >= MAX_ASKED) return 'busy';
    asked.add(endpoint);
    try {
      const answered = await ask(registration);
      const current = registrations.of(registration.deviceId);
      // A message from the device meanwhile counts as an answer.
      const spoke = current === registration && registration.expiresAt !== expiresAt;
      if (answered !== 'present' && !spoke) return answered;
      present.set(endpoint, clock.now() + PRESENT_FOR_MS);
      if (present.size > MAX_ASKED) for (const [name] of present) present.delete(name);
      log.warn({ endpoint, peer }, 'registration refused, its device answers elsewhere');
      return 'present';
    } finally {
      asked.delete(endpoint);
    }
  }

  return async (request) => {
    const former = registrations.contested(request);
    if (!former) return registrations.answer(request);
    const from = former.peer;
    const presence = await presenceOf(former);
    if (presence === 'present') return { code: Code.FORBIDDEN };
    // Presence unknown, or the registration changed meanwhile: the device has to try again.
    if (presence === 'busy' || registrations.contested(request) !== former)
      return { code: Code.SERVICE_UNAVAILABLE };
    const reply = registrations.answer(request);
    const moved = reply.code === Code.CREATED || reply.code === Code.CHANGED;
    if (moved && !isSameHost(from, request.peer)) {
      const { endpoint, deviceId } = former;
      const id = randomBytes(8).toString('hex');
      const at = clock.now();
      changed({ id, endpoint, deviceId, from, to: request.peer, at, reported: false });
    }
    return reply;
  };
}
