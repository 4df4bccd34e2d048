import { createECDH, randomBytes } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import {
  encrypted,
  isPublicKey,
  MAX_PLAIN_BYTES,
  vapidOf,
} from '../../src/alarm/channel/delivery/push-message.ts';
import { decrypted, vapidClaims } from '../support/neighbours/push-service.ts';

const of = (text: string): Buffer => Buffer.from(text, 'base64url');

/** RFC 8291, appendix A. */
const VECTOR = {
  plain: 'When I grow up, I want to be a watermelon',
  sender: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  browser: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

const keys = { p256dh: of(VECTOR.p256dh), auth: of(VECTOR.auth) };

describe('a message to a browser', () => {
  it('is that of the example of RFC 8291', () => {
    const sender = createECDH('prime256v1');
    sender.setPrivateKey(of(VECTOR.sender));
    const body = encrypted(Buffer.from(VECTOR.plain), keys, { sender, salt: of(VECTOR.salt) });
    expect(body.toString('base64url')).toBe(VECTOR.body);
  });

  it('fits into 4,096 bytes when it is as long as it may be, and is another each time', () => {
    const plain = Buffer.alloc(MAX_PLAIN_BYTES, 'a');
    const [one, other] = [encrypted(plain, keys), encrypted(plain, keys)];
    expect(one.length).toBe(4_096);
    expect(one.equals(other)).toBe(false);
    const held = { privateKey: of(VECTOR.browser), auth: keys.auth };
    for (const body of [one, other]) expect(decrypted(body, held)).toBe(plain.toString());
  });

  it('is for keys of the curve alone', () => {
    expect(isPublicKey(keys.p256dh)).toBe(true);
    const bent = Buffer.from(keys.p256dh);
    bent[64] = (bent[64] ?? 0) ^ 1;
    for (const wrong of [bent, keys.p256dh.subarray(1), Buffer.alloc(65), Buffer.alloc(0)])
      expect(isPublicKey(wrong)).toBe(false);
  });
});

describe('the key of the platform', () => {
  it('is the same for the same secret, and signs for one push service and half a day', () => {
    const seed = randomBytes(48);
    const vapid = vapidOf(seed, 'https://platform.example');
    expect(vapidOf(seed, null).publicKey).toBe(vapid.publicKey);
    expect(vapidOf(randomBytes(48), null).publicKey).not.toBe(vapid.publicKey);
    expect(isPublicKey(of(vapid.publicKey))).toBe(true);
    const now = Date.parse('2026-01-05T08:00:00Z');
    const header = vapid.authorization('https://push.example', now);
    expect(vapidClaims(header)).toEqual({
      key: vapid.publicKey,
      claims: {
        aud: 'https://push.example',
        exp: now / 1_000 + 12 * 3_600,
        sub: 'https://platform.example',
      },
    });
    const forged = header
      .replace('t=', 't=e30')
      .replace(vapid.publicKey, vapidOf(randomBytes(48), null).publicKey);
    expect(() => vapidClaims(forged)).toThrow('not signed');
  });
});
