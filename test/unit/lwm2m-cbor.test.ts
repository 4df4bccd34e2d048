import { expect, test } from 'vitest';

import { cborValue } from '../../driver/lwm2m/codec/cbor-value.ts';
import { decodeCbor } from '../../driver/lwm2m/codec/cbor.ts';
import { CodecError } from '../../driver/lwm2m/codec/codec.ts';

const path = { objectId: 3, objectInstanceId: 0, resourceId: 9 };
const hex = (text: string) => Buffer.from(text, 'hex');

// RFC 8949, appendix A
test.each([
  ['00', '0'],
  ['1903e8', '1000'],
  ['1bffffffffffffffff', '18446744073709551615'],
  ['3bffffffffffffffff', '-18446744073709551616'],
  ['c249010000000000000000', '18446744073709551616'],
  ['f93e00', '1.5'],
  ['f90001', '5.960464477539063e-8'],
  ['f9c400', '-4'],
  ['fa47c35000', '100000'],
  ['fb3ff199999999999a', '1.1'],
  ['c11a514b67b0', '1363896240'],
  ['c48221196ab3', '273.15'],
])('reads the number %s', (bytes, value) => {
  expect(cborValue.decode(hex(bytes), path, 'DOUBLE')).toBe(value);
});

test('reads nested and indefinite items', () => {
  expect(decodeCbor(hex('7f657374726561646d696e67ff'))).toBe('streaming');
  expect(decodeCbor(hex('5f42010243030405ff'))).toEqual(hex('0102030405'));
  expect(decodeCbor(hex('9f018202039f0405ffff'))).toHaveLength(3);
  expect(decodeCbor(hex('bf6346756ef563416d7421ff'))).toEqual(
    new Map<string, unknown>([
      ['Fun', true],
      ['Amt', { numeral: '-2' }],
    ]),
  );
});

test.each([
  '',
  '18',
  '5bffffffffffffffff',
  '9bffffffffffffffff',
  '1c',
  'ff',
  'f97e00',
  '0000',
  '9f',
])('refuses %s', (bytes) => expect(() => decodeCbor(hex(bytes))).toThrow(CodecError));

test('refuses deep nesting', () => {
  expect(() => decodeCbor(Buffer.alloc(100_000, 0x81))).toThrow(CodecError);
});

test.each([
  ['-9223372036854775808', 'LONG'],
  ['21.3', 'DOUBLE'],
  ['true', 'BOOLEAN'],
  ['é'.repeat(300), 'STRING'],
  ['AAEC', 'OPAQUE'],
] as const)('returns %s of type %s', (value, type) => {
  expect(cborValue.decode(cborValue.encode(value, path, type), path, type)).toBe(value);
});

test('changed payloads decode or throw CodecError', () => {
  const seeds = ['9f018202039f0405ffff', 'bf6346756ef563416d7421ff', 'c48221196ab3'].map(hex);
  let state = 7;
  const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 5_000; round += 1) {
    const bytes = Buffer.from(seeds[next(seeds.length)] ?? []);
    bytes[next(bytes.length)] = next(256);
    try {
      decodeCbor(bytes.subarray(0, next(bytes.length) + 1));
    } catch (error) {
      expect(error).toBeInstanceOf(CodecError);
    }
  }
});
