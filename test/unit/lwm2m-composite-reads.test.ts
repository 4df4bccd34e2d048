import { expect, it } from 'vitest';

import { CoapFailure, type FailureReason } from '../../driver/coap/contract.ts';
import { createCompositeReads } from '../../driver/lwm2m/operation/composite-reads.ts';
import type { Registration } from '../../driver/lwm2m/registration/registration.ts';
import { sleeper as device } from '../support/lwm2m/sleeper.ts';
import { TestClock } from '../support/world/clock.ts';

const registration: Registration = {
  id: 'a',
  endpoint: 'urn:dev:1',
  deviceId: '1',
  peer: { address: '127.0.0.1', port: 40_000 },
  version: '1.1',
  queueMode: false,
  lifetimeS: 60,
  expiresAt: 60_000,
  heardAt: 0,
  contentFormats: [110],
  root: [],
  objects: [],
  leftOut: 0,
  objectsAt: 0,
};

it.each<[FailureReason, string, boolean]>([
  ['queue-full', 'COAP_QUEUE_FULL', true],
  ['expired-in-queue', 'COAP_EXPIRED_IN_QUEUE', true],
  ['closed', 'COAP_CLOSED', true],
  ['bad-request', 'COAP_BAD_REQUEST', true],
  ['reset', '', false],
  ['bad-response', '', false],
])(
  'turns composite reads off for what the device answers alone: %s %s',
  async (reason, code, isAskedAgain) => {
    const reads = createCompositeReads(new TestClock());
    let asked = 0;
    const again = () =>
      reads.read(
        async () => {
          asked += 1;
          throw new CoapFailure(reason);
        },
        { registration, deadline: 10_000 },
        device.points,
      );
    for (let at = 0; at < 4; at += 1)
      if (isAskedAgain) await expect(again()).rejects.toMatchObject({ code });
      else expect(await again()).toEqual(new Map());
    expect(asked).toBe(isAskedAgain ? 4 : 1);
  },
);
