import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';

import { deviceSettings } from '../../driver/http/device/attributes.ts';
import { Deliveries } from '../../driver/http/push/deliveries.ts';
import { signedBy, verdictOn } from '../../driver/http/push/signature.ts';

describe('a signature', () => {
  /** The vector that the implementations of Standard Webhooks share. */
  const vector = {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: '1614265330',
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const { secret } = deviceSettings({ configs: { secret: vector.secret } });
  const secrets = secret ? [secret] : [];
  const now = 1_614_265_330_000;
  const headers = {
    'webhook-id': vector.id,
    'webhook-timestamp': vector.timestamp,
    'webhook-signature': vector.signature,
  };
  const verdict = (body: Buffer, changed: Record<string, string> = {}) => {
    const signed = signedBy({ ...headers, ...changed });
    return signed && verdictOn(signed, body, { secrets, now });
  };

  it('is that of the vector of Standard Webhooks', () => {
    expect(verdict(Buffer.from(vector.body))).toBe('signed');
    expect(verdict(Buffer.from(`${vector.body}\n`))).toBe('not signed');
  });

  it('is over bytes, also where they are no text: two bodies never have one signature', () => {
    const one = Buffer.from([0xff, 0xfe]);
    const two = Buffer.from([0xfe, 0xff]);
    // What another implementation makes of both is the same text.
    const sign = (bytes: Buffer): string =>
      new Webhook(vector.secret).sign(vector.id, new Date(now), bytes);
    expect(sign(one)).toBe(sign(two));
    expect(verdict(one, { 'webhook-signature': sign(one) })).toBe('not signed');
  });

  it('of a device without a secret is none', () => {
    const signed = signedBy(headers);
    expect(signed && verdictOn(signed, Buffer.from(vector.body), { secrets: [], now })).toBe(
      'not signed',
    );
  });
});

it('ids that came are remembered up to a number, the last ones', () => {
  const deliveries = new Deliveries();
  const body = Buffer.from('{}');
  for (let i = 0; i < 65; i += 1) {
    const delivery = deliveries.of('1', `id ${i}`, body, i);
    if (delivery) delivery.isTaken = true;
  }
  expect(deliveries.of('1', 'id 64', body, 99)?.isTaken).toBe(true);
  expect(deliveries.of('1', 'id 1', body, 99)?.isTaken).toBe(true);
  expect(deliveries.of('1', 'id 0', body, 99)?.isTaken).toBe(false);
});
