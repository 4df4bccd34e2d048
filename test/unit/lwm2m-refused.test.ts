import { describe, expect, it } from 'vitest';

import { CoapFailure, type FailureReason } from '../../driver/coap/contract.ts';
import { Code } from '../../driver/coap/message/message.ts';
import { resourceOf } from '../../driver/lwm2m/codec/resource.ts';
import { executeResource, type Send, writeResource } from '../../driver/lwm2m/operation/request.ts';

const target: Parameters<typeof writeResource>[1] = {
  registration: {
    id: 'a',
    endpoint: 'urn:dev:1',
    deviceId: '1',
    peer: { address: '127.0.0.1', port: 5683 },
    version: '1.1',
    queueMode: false,
    lifetimeS: 60,
    expiresAt: 60_000,
    heardAt: 0,
    contentFormats: [],
    root: [],
    objects: [],
    leftOut: 0,
    objectsAt: 0,
  },
  ...resourceOf({
    configs: { objectId: '3308', objectInstanceId: '0', resourceId: '5900' },
    type: 'FLOAT',
  }),
  deadline: 10_000,
};
const fails =
  (reason: FailureReason): Send =>
  () =>
    Promise.reject(new CoapFailure(reason));
const answers =
  (code: number): Send =>
  async () => ({ code, contentFormat: null, observe: null, payload: Buffer.alloc(0) });

describe('a write that ended without a yes', () => {
  it.each<[FailureReason, string, string]>([
    ['expired-in-queue', 'FAILED', 'COAP_EXPIRED_IN_QUEUE'],
    ['queue-full', 'FAILED', 'COAP_QUEUE_FULL'],
    ['bad-request', 'FAILED', 'COAP_BAD_REQUEST'],
    // A device may have done it before it reset the exchange.
    ['reset', 'UNKNOWN', 'COAP_RESET'],
    ['timeout-before-ack', 'UNKNOWN', 'TIMEOUT'],
    ['timeout-after-ack', 'UNKNOWN', 'TIMEOUT'],
    ['bad-response', 'UNKNOWN', 'COAP_BAD_RESPONSE'],
    ['closed', 'UNKNOWN', 'COAP_CLOSED'],
  ])('by %s is %s', async (reason, outcome, code) => {
    await expect(writeResource(fails(reason), target, '21')).rejects.toMatchObject({
      outcome,
      code,
    });
    await expect(executeResource(fails(reason), target, '')).rejects.toMatchObject({
      outcome,
      code,
    });
  });

  it.each([
    [Code.NOT_FOUND, 'FAILED'],
    [0xa0, 'UNKNOWN'],
    [Code.CONTENT, 'UNKNOWN'],
  ])('by the answer %i is %s, written or executed', async (code, outcome) => {
    await expect(writeResource(answers(code), target, '21')).rejects.toMatchObject({ outcome });
    await expect(executeResource(answers(code), target, '')).rejects.toMatchObject({ outcome });
  });
});
