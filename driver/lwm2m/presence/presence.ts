import type { Clock } from '../../../src/kernel/clock.ts';
import type { FailureReason } from '../../coap/contract.ts';
import { CoapFailure } from '../../coap/endpoint.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import type { Presence } from './takeover.ts';

/** Two transmissions of a confirmable request and their answers (RFC 7252 4.8). */
const PRESENCE_MS = 6_000;
/** The request was never sent, so the missing answer proves nothing. */
const NOT_ASKED: ReadonlySet<FailureReason> = new Set([
  'expired-in-queue',
  'queue-full',
  'bad-request',
  'closed',
]);

/** Whether a device answers where it registered. */
export async function presenceOf(
  { peer, root }: Registration,
  { ports, clock }: { ports: Lwm2mPorts; clock: Clock },
): Promise<Presence> {
  // Another device would answer there.
  if (!ports.isReachable(peer)) return 'silent';
  // Any answer proves presence: the binding mode is the smallest resource that every device must have.
  const path = [...root, '3', '0', '16'];
  const deadline = clock.now() + PRESENCE_MS;
  try {
    await ports.request(peer, { method: 'GET', path, deadline });
    return 'present';
  } catch (error) {
    if (!(error instanceof CoapFailure)) throw error;
    if (error.reason === 'timeout-before-ack') return 'silent';
    return NOT_ASKED.has(error.reason) ? 'busy' : 'present';
  }
}
