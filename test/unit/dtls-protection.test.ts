import { describe, expect, it } from 'vitest';

import { opened, type Protection, sealed, suites } from '../../driver/dtls/protection.ts';
import { recordsOf } from '../../driver/dtls/record.ts';

const key = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
const iv = Buffer.from('a0a1a2a3', 'hex');
const cid = Buffer.from('c1d0e0', 'hex');
const [DATA, CID_RECORD, SEQUENCE] = [23, 25, 5];
const hello = Buffer.from('hello');

/**
 * The records of sequence number 5 with the word hello, made by another implementation (pyca/cryptography) with the
 * additional data of RFC 6347 4.1.2.1 and RFC 9146 5.3 spelled out: without a connection id, with one, and with one and
 * four bytes of padding.
 */
const vectors: readonly [
  name: string,
  id: number,
  plain: string,
  withCid: string,
  padded: string,
][] = [
  [
    'TLS_PSK_WITH_AES_128_CCM_8',
    0xc0_a8,
    '17fefd0001000000000005001500010000000000054498625bc0bdfdedef2cbf7c99',
    '19fefd0001000000000005c1d0e0001600010000000000054498625bc0b155faa598b2ec3c60',
    '00010000000000054498625bc0b1c4331c370a26a7013d171220',
  ],
  [
    'TLS_PSK_WITH_AES_128_CCM',
    0xc0_a4,
    '17fefd0001000000000005001d00010000000000054498625bc073d57b65a62b8745ed10ca40dba70d72',
    '19fefd0001000000000005c1d0e0001e00010000000000054498625bc0b1420e55d06fd5c799259bb40be2de554f',
    '00010000000000054498625bc0b1c4331c375a7c8f39673e9916e37bb1a692dd6afa',
  ],
  [
    'TLS_PSK_WITH_AES_128_GCM_SHA256',
    0x00_a8,
    '17fefd0001000000000005001d0001000000000005a46f3dea4bdf91ed9f7ac22a9f5d500cb359deae1b',
    '19fefd0001000000000005c1d0e0001e0001000000000005a46f3dea4b80ba5b03217ae25a668de237875ab3934d',
    '0001000000000005a46f3dea4b80ea94f445626030ee4142bd95ac3633e5e4bf90dc',
  ],
];

describe.each(vectors)('a record of %s', (_name, id, plain, withCid, padded) => {
  const suite = suites.find((one) => one.id === id);
  if (!suite) throw new Error('no such suite');
  const without: Protection = { suite, key, iv, cid: null };
  const protection: Protection = { suite, key, iv, cid };

  it.each([
    ['without a connection id', without, plain, 0],
    ['with a connection id', protection, withCid, cid.length],
  ])('%s is what another implementation makes, and opens again', (_what, keys, bytes, cidBytes) => {
    expect(sealed(keys, DATA, SEQUENCE, hello).toString('hex')).toBe(bytes);
    const { records, isWhole } = recordsOf(Buffer.from(bytes, 'hex'), cidBytes);
    const [record] = records;
    if (!record) throw new Error('no record');
    expect([records.length, isWhole]).toEqual([1, true]);
    expect(opened(keys, record)).toEqual({ type: DATA, data: hello });
  });

  it('opens with padding, and not with another connection id, number or byte', () => {
    const record = {
      type: CID_RECORD,
      epoch: 1,
      sequence: SEQUENCE,
      cid,
      fragment: Buffer.from(padded, 'hex'),
    };
    expect(opened(protection, record)).toEqual({ type: DATA, data: hello });
    expect(opened(protection, { ...record, cid: Buffer.from('c1d0e1', 'hex') })).toBeNull();
    expect(opened(protection, { ...record, sequence: SEQUENCE + 1 })).toBeNull();
    for (let at = 0; at < record.fragment.length; at += 1) {
      const changed = Buffer.from(record.fragment);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(opened(protection, { ...record, fragment: changed })).toBeNull();
    }
  });
});
