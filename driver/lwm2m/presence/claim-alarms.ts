import { randomBytes } from 'node:crypto';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { Peer } from '../../coap/contract.ts';
import type { DriverDevice, DriverHost } from '../../sdk/driver.ts';
import { hostOf } from '../registration/peer.ts';
import { securityModeOf } from '../security/refusal.ts';

const EVERY_MS = 3_600_000;
const MAX_REMEMBERED = 10_000;

/** Raises an alarm where something else wants to be a device with a key, at most once an hour for each device. */
export type ClaimAlarms = {
  tried(device: DriverDevice, peer: Peer, refusal: string): void;
};

export function createClaimAlarms({
  host,
  clock,
  log,
}: {
  host: Pick<DriverHost, 'alarm'>;
  clock: Clock;
  log: Log;
}): ClaimAlarms {
  const raisedAt = new Map<string, number>();
  return {
    tried(device, peer, refusal) {
      if (securityModeOf(device) !== 'PSK') return;
      const now = clock.now();
      if (now - (raisedAt.get(device.id) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return;
      const [oldest] = raisedAt.keys();
      if (oldest !== undefined && raisedAt.size >= MAX_REMEMBERED) raisedAt.delete(oldest);
      raisedAt.set(device.id, now);
      const endpoint = device.configs['endpoint'] ?? '';
      const message = `a registration as ${endpoint} from ${hostOf(peer)} was refused: ${refusal}`;
      const reference = randomBytes(8).toString('hex');
      host.alarm(device, { message, reference, occurTime: now }).catch((error: unknown) => {
        // The next attempt raises it again.
        raisedAt.delete(device.id);
        log.warn({ deviceId: device.id, error }, 'alarm about a refused registration not sent');
      });
    },
  };
}
