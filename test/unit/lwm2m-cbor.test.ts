import { describe, expect, it } from 'vitest';

import { readCbor } from '../../driver/lwm2m/codec/cbor-reader.ts';
import { CodecError } from '../../driver/lwm2m/codec/codec.ts';
import type { ResourceType } from '../../driver/lwm2m/codec/resource.ts';
import { bytes, decode, encode, FORMATS } from '../support/formats/codecs.ts';

const AT = '/3/0/9';
const n = (numeral: string) => ({ numeral });
const map = (...entries: [string | number, unknown][]) => new Map(entries);

/** RFC 8949, appendix A: what a device may send. */
const TAKEN: [string, unknown][] = [
  ['00', n('0')],
  ['01', n('1')],
  ['0a', n('10')],
  ['17', n('23')],
  ['1818', n('24')],
  ['1819', n('25')],
  ['1864', n('100')],
  ['1903e8', n('1000')],
  ['1a000f4240', n('1000000')],
  ['1b000000e8d4a51000', n('1000000000000')],
  ['1bffffffffffffffff', n('18446744073709551615')],
  ['c249010000000000000000', n('18446744073709551616')],
  ['3bffffffffffffffff', n('-18446744073709551616')],
  ['c349010000000000000000', n('-18446744073709551617')],
  ['20', n('-1')],
  ['29', n('-10')],
  ['3863', n('-100')],
  ['3903e7', n('-1000')],
  ['f90000', n('0')],
  ['f98000', n('0')],
  ['f93c00', n('1')],
  ['fb3ff199999999999a', n('1.1')],
  ['f93e00', n('1.5')],
  ['f97bff', n('65504')],
  ['fa47c35000', n('100000')],
  ['fa7f7fffff', n('3.4028235e+38')],
  ['fb7e37e43c8800759c', n('1e+300')],
  ['f90001', n('5.960464477539063e-8')],
  ['f90400', n('0.00006103515625')],
  ['f9c400', n('-4')],
  ['fbc010666666666666', n('-4.1')],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['f7', null],
  ['c074323031332d30332d32315432303a30343a30305a', '2013-03-21T20:04:00Z'],
  ['c11a514b67b0', n('1363896240')],
  ['c1fb41d452d9ec200000', n('1363896240.5')],
  ['d74401020304', bytes('01020304')],
  ['d818456449455446', bytes('6449455446')],
  ['d82076687474703a2f2f7777772e6578616d706c652e636f6d', 'http://www.example.com'],
  ['40', bytes('')],
  ['4401020304', bytes('01020304')],
  ['60', ''],
  ['6161', 'a'],
  ['6449455446', 'IETF'],
  ['62225c', '"\\'],
  ['62c3bc', '\u00fc'],
  ['63e6b0b4', '\u6c34'],
  ['64f0908591', '\u{10151}'],
  ['80', []],
  ['83010203', [n('1'), n('2'), n('3')]],
  ['8301820203820405', [n('1'), [n('2'), n('3')], [n('4'), n('5')]]],
  [
    '98190102030405060708090a0b0c0d0e0f101112131415161718181819',
    Array.from({ length: 25 }, (_, i) => n(String(i + 1))),
  ],
  ['a0', map()],
  ['a201020304', map([1, n('2')], [3, n('4')])],
  ['a26161016162820203', map(['a', n('1')], ['b', [n('2'), n('3')]])],
  ['826161a161626163', ['a', map(['b', 'c'])]],
  [
    'a56161614161626142616361436164614461656145',
    map(['a', 'A'], ['b', 'B'], ['c', 'C'], ['d', 'D'], ['e', 'E']),
  ],
  ['5f42010243030405ff', bytes('0102030405')],
  ['7f657374726561646d696e67ff', 'streaming'],
  ['9fff', []],
  ['9f018202039f0405ffff', [n('1'), [n('2'), n('3')], [n('4'), n('5')]]],
  ['9f01820203820405ff', [n('1'), [n('2'), n('3')], [n('4'), n('5')]]],
  ['83018202039f0405ff', [n('1'), [n('2'), n('3')], [n('4'), n('5')]]],
  ['83019f0203ff820405', [n('1'), [n('2'), n('3')], [n('4'), n('5')]]],
  [
    '9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff',
    Array.from({ length: 25 }, (_, i) => n(String(i + 1))),
  ],
  ['bf61610161629f0203ffff', map(['a', n('1')], ['b', [n('2'), n('3')]])],
  ['826161bf61626163ff', ['a', map(['b', 'c'])]],
  ['bf6346756ef563416d7421ff', map(['Fun', true], ['Amt', n('-2')])],
];

/** The same appendix: no value of a device. */
const REFUSED = [
  'f97c00',
  'f97e00',
  'f9fc00',
  'fa7f800000',
  'fa7fc00000',
  'faff800000',
  'fb7ff0000000000000',
  'fb7ff8000000000000',
  'fbfff0000000000000',
  'f0',
  'f8ff',
];

describe('CBOR', () => {
  it.each(TAKEN)('reads %s of RFC 8949, appendix A', (hex, item) => {
    expect(readCbor(bytes(hex))).toEqual(item);
  });

  it.each(REFUSED)(
    'refuses %s of RFC 8949, appendix A: no finite number, no known value',
    (hex) => {
      expect(() => readCbor(bytes(hex))).toThrow(CodecError);
    },
  );

  it.each([
    ['c48221196ab3', '273.15'],
    ['c4820219ffff', '6553500'],
    ['c482213904d1', '-12.34'],
    ['c4822100', '0.00'],
    ['c482390018c249010000000000000000', '0.0000018446744073709551616'],
  ])('reads the decimal fraction %s as %s', (hex, numeral) => {
    expect(readCbor(bytes(hex))).toEqual(n(numeral));
  });

  it('keeps the keys 1 and "1" apart', () => {
    expect(readCbor(bytes('a2 01 f4 6131 f5'))).toEqual(map([1, false], ['1', true]));
  });

  it.each([
    ['nothing', ''],
    ['a head cut off', '18'],
    ['a text cut off', '6261'],
    ['a length beyond the end', '5bffffffffffffffff'],
    ['a count beyond the end', '9bffffffffffffffff'],
    ['a map without its last value', 'a10'.padEnd(4, '0')],
    ['a reserved head', '1c'],
    ['a break alone', 'ff'],
    ['a list without its break', '9f'],
    ['a map with half an entry', 'bf6161ff'],
    ['bytes after the item', '0000'],
    ['a chunk of another kind', '5f6161ff'],
    ['a chunk without a length', '5f5fffff'],
    ['a chunk that ends within a letter', '7f61c361bcff'],
    ['a text that is not UTF-8', '61ff'],
    ['a key twice', 'a2616101616102'],
    ['a number twice as key', 'a201010102'],
    ['a list as key', 'a18001'],
    ['a float as key', 'a1f93c0001'],
    ['a key beyond 15 digits', 'a11bffffffffffffffff01'],
    ['an integer of no length', '1f'],
    ['a bignum of 33 bytes', `c25821${'01'.repeat(33)}`],
    ['a bignum of text', 'c26131'],
    ['a decimal fraction of three', 'c483010203'],
    ['a decimal fraction of floats', 'c482f93e00f93e00'],
    ['a decimal fraction out of range', 'c48219019101'],
    ['a date that is bytes', 'c04131'],
    ['a time that is text', 'c16131'],
    ['a tag that changes the meaning', 'd86401'],
  ])('refuses %s', (_what, hex) => {
    expect(() => readCbor(bytes(hex))).toThrow(CodecError);
  });

  it.each([
    ['lists', Buffer.alloc(200_000, 0x81)],
    ['endless lists', Buffer.alloc(200_000, 0x9f)],
    ['maps', Buffer.alloc(200_000, 0xa1)],
    ['tags', Buffer.alloc(200_000, 0xd7)],
  ])('refuses %s nested 200,000 deep', (_what, payload) => {
    expect(() => readCbor(payload)).toThrow('nested too deeply');
  });

  it('refuses 200,000 items, and reads 200,000 empty chunks', () => {
    expect(() =>
      readCbor(Buffer.concat([bytes('9f'), Buffer.alloc(200_000), bytes('ff')])),
    ).toThrow('too many items');
    const chunks = Buffer.concat([bytes('5f'), Buffer.alloc(200_000, 0x40), bytes('ff')]);
    expect(readCbor(chunks)).toEqual(bytes(''));
  });
});

describe('a single value in CBOR', () => {
  it.each<[ResourceType, string, string]>([
    ['INT', '100', '18 64'],
    ['LONG', '-9223372036854775808', '3b 7fffffffffffffff'],
    ['LONG', '18446744073709551615', '1b ffffffffffffffff'],
    ['FLOAT', '21', 'fa 41a80000'],
    ['DOUBLE', '21', 'fa 41a80000'],
    ['DOUBLE', '21.3', 'fb 40354ccccccccccd'],
    ['BOOLEAN', 'true', 'f5'],
    ['STRING', '21', '62 3231'],
    ['OPAQUE', 'AQID/w==', '44 010203ff'],
  ])('writes a %s %s as %s', (type, value, hex) => {
    expect(encode(FORMATS.cbor, value, AT, type).toString('hex')).toBe(bytes(hex).toString('hex'));
    expect(decode(FORMATS.cbor, bytes(hex), AT, type)).toBe(value);
  });

  it.each<[ResourceType, string, string]>([
    ['INT', 'f5', '1'],
    ['BOOLEAN', '00', 'false'],
    ['STRING', 'f93e00', '1.5'],
    ['STRING', '44 010203ff', 'AQID/w=='],
    ['DOUBLE', 'fa 41aa6666', '21.3'],
  ])('takes for a %s %s as %s', (type, hex, value) => {
    expect(decode(FORMATS.cbor, bytes(hex), AT, type)).toBe(value);
  });

  it.each<[ResourceType, string, string]>([
    ['INT', '6131', 'the device sent text for INT'],
    ['DOUBLE', '4131', 'the device sent bytes for DOUBLE'],
    ['LONG', 'f6', 'the device sent nothing for LONG'],
    ['INT', '8101', 'the device sent more than one value for INT'],
    ['STRING', 'a10102', 'the device sent more than one value for STRING'],
    ['BOOLEAN', '02', 'the device sent a number for BOOLEAN'],
    ['BOOLEAN', '6474727565', 'the device sent text for BOOLEAN'],
    ['OPAQUE', '6161', 'the device sent text for OPAQUE'],
    ['OPAQUE', 'f5', 'the device sent true or false for OPAQUE'],
  ])('refuses for a %s %s', (type, hex, message) => {
    expect(() => decode(FORMATS.cbor, bytes(hex), AT, type)).toThrow(new CodecError(message));
  });

  it.each<[ResourceType, string]>([
    ['INT', '21.5'],
    ['INT', ''],
    ['LONG', '18446744073709551616'],
    ['LONG', '-9223372036854775809'],
    ['DOUBLE', 'NaN'],
    ['DOUBLE', '1e400'],
    ['FLOAT', ' '],
    ['FLOAT', '0x10'],
    ['BOOLEAN', 'on'],
    ['OPAQUE', 'AQID/w'],
    ['STRING', '\ud800'],
  ])('does not write the %s %j', (type, value) => {
    expect(() => encode(FORMATS.cbor, value, AT, type)).toThrow(CodecError);
  });
});
