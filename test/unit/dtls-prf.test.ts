import { expect, it } from 'vitest';

import { prf } from '../../driver/dtls/prf.ts';

/** The vector for SHA-256 that was made public on the list of the TLS working group. */
it('the pseudo-random function of TLS 1.2 gives the published bytes', () => {
  const hex = (text: string): Buffer => Buffer.from(text, 'hex');
  const secret = hex('9bbe436ba940f017b17652849a71db35');
  const seed = hex('a0ba9f936cda311827a6f796ffd5198c');
  const expected =
    'e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a' +
    '6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17abfd3797c0564bab' +
    '4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff701' +
    '87347b66';
  expect(prf(secret, 'test label', seed, 100).toString('hex')).toBe(expected);
  // Shorter answers are its beginning.
  expect(prf(secret, 'test label', seed, 12).toString('hex')).toBe(expected.slice(0, 24));
});
