import type { Clock } from '../../../src/kernel/clock.ts';
import type { FailureReason } from '../../coap/contract.ts';
import { CoapFailure } from '../../coap/endpoint.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import type { Presence } from './takeover.ts';

/** Two transmissions of a confirmable request and their answers (RFC 7252 4.8). */
const PRESENCE_MS = 6_000;
/** For one more request where others have gone unanswered. */
const ONE_MORE_MS = 2_000;
/** The request was never sent, so the missing answer proves nothing. */
const NOT_ASKED: ReadonlySet<FailureReason> = new Set([
  'expired-in-queue',
  'queue-full',
  'bad-request',
  'closed',
]);

/**
 * Whether a device answers where it registered. Requests that it has not answered are part of the question: beside them
 * one more goes out, so that it is known in the same time whatever is under way.
 */
export async function presenceOf(
  { peer, root }: Registration,
  { ports, clock }: { ports: Lwm2mPorts; clock: Clock },
): Promise<Presence> {
  // Another device would answer there.
  if (!ports.isReachable(peer)) return 'silent';
  const silentMs = ports.silenceOf(peer)?.forMs ?? 0;
  // Any answer proves presence: the binding mode is the smallest resource that every device must have.
  const path = [...root, '3', '0', '16'];
  const deadline = clock.now() + Math.max(ONE_MORE_MS, PRESENCE_MS - silentMs);
  try {
    await ports.request(peer, { method: 'GET', path, deadline, isBeside: true });
    return 'present';
  } catch (error) {
    if (!(error instanceof CoapFailure)) throw error;
    // It answered something else meanwhile.
    if (error.reason === 'timeout-before-ack') return ports.silenceOf(peer) ? 'silent' : 'present';
    return NOT_ASKED.has(error.reason) ? 'busy' : 'present';
  }
}
