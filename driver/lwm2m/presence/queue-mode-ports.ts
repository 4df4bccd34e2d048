import { CoapFailure, type CoapResponse, type Peer } from '../../coap/contract.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import type { QueueModeDevices } from './queue-mode.ts';

/**
 * The ports, which notice what each answer, notification and silence says of a device that sleeps, and which
 * send nothing to an address that is another's now.
 */
export function withQueueMode(
  ports: Lwm2mPorts,
  {
    registrationAt,
    isTaken,
    queueModeDevices,
  }: {
    registrationAt: (peer: Peer) => Registration | undefined;
    isTaken: (peer: Peer) => boolean;
    queueModeDevices: Pick<QueueModeDevices, 'spoke' | 'answered' | 'silent'>;
  },
): Lwm2mPorts {
  function notice(peer: Peer, what: 'spoke' | 'answered' | 'silent'): void {
    const registration = registrationAt(peer);
    if (registration) queueModeDevices[what](registration);
  }

  async function answered<T>(peer: Peer, asking: Promise<T>): Promise<T> {
    try {
      const answer = await asking;
      notice(peer, 'answered');
      return answer;
    } catch (error) {
      if (error instanceof CoapFailure && error.reason === 'timeout-before-ack')
        notice(peer, 'silent');
      throw error;
    }
  }

  return {
    ...ports,
    isReachable: (peer) => ports.isReachable(peer) && !isTaken(peer),
    request: (peer, request) => answered(peer, ports.request(peer, request)),
    observe(peer, request, notified) {
      const asked = registrationAt(peer);
      const reported = (response: CoapResponse): void => {
        // Nothing follows from it for a device that never sleeps.
        if (asked?.queueMode !== false) notice(peer, 'spoke');
        notified(response);
      };
      return answered(peer, ports.observe(peer, request, reported));
    },
  };
}
