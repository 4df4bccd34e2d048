import { describe, expect, it } from 'vitest';

import { CodecError } from '../../driver/lwm2m/codec/codec.ts';
import type { ResourceType } from '../../driver/lwm2m/codec/resource.ts';
import { bytes, decode, decodeTimed, encode, FORMATS } from '../support/formats/codecs.ts';
import { cborOf, jsonOf } from '../support/formats/senml.ts';

const AT = '/3/0/9';

describe.each([
  ['SenML-JSON', FORMATS.senmlJson],
  ['SenML-CBOR', FORMATS.senmlCbor],
])('%s', (_name, format) => {
  /** Packs are written as JSON; for CBOR a small encoder of its own makes them, with the numbers of the fields. */
  const packed = (pack: unknown): Buffer =>
    format === FORMATS.senmlJson ? Buffer.from(jsonOf(pack)) : cborOf(pack);
  const read = (pack: unknown, type: ResourceType = 'DOUBLE', at = AT) =>
    decode(format, packed(pack), at, type);

  it.each([
    ['a base name that is the whole path', [{ bn: AT, v: 1 }]],
    ['a base name with its last slash', [{ bn: '/3/0/', n: '9', v: 1 }]],
    ['a base name without its last slash', [{ bn: '/3/0', n: '/9', v: 1 }]],
    ['a name without base', [{ n: AT, v: 1 }]],
    ['a base of its own record', [{ bn: '/3/0/' }, { n: '9', v: 1 }]],
    [
      'a base that was replaced',
      [
        { bn: '/5/0/', n: '9', v: 2 },
        { bn: '/3/0/', n: '9', v: 1 },
      ],
    ],
    [
      'an instance of the resource',
      [
        { bn: '/3/0/', n: '9/0', v: 1 },
        { n: '9/1', v: 2 },
      ],
    ],
    ['a base value', [{ bn: '/3/0/', bv: -20, n: '9', v: 21 }]],
    ['a record of bases and one without name', [{ bn: AT, bv: 1 }, { v: 0 }]],
    ['a base value alone', [{ bn: '/3/0/', bv: 1 }, { n: '9' }]],
    [
      'a base value of zero again',
      [
        { bn: '/3/0/', bv: 7, n: '1', v: 1 },
        { bv: 0, n: '9', v: 1 },
      ],
    ],
    [
      'the newest by age',
      [
        { bn: AT, t: -9, v: 3 },
        { t: -1, v: 1 },
        { t: -5, v: 2 },
      ],
    ],
    [
      'the newest by date',
      [
        { bn: AT, bt: 1.7e9, t: 3, v: 1 },
        { t: 1, v: 3 },
        { t: 2, v: 2 },
      ],
    ],
    [
      'the newest over bases',
      [
        { bn: AT, bt: 1.7e9, v: 3 },
        { bt: 1.8e9, t: -1e9, v: 2 },
        { t: 0, v: 1 },
      ],
    ],
    [
      'what has no date before what has one',
      [
        { bn: AT, v: 1 },
        { t: 1.7e9, v: 2 },
      ],
    ],
    ['one that was there twice before', [{ bn: AT, t: -2, v: 3 }, { t: -2, v: 2 }, { v: 1 }]],
    [
      'units, sums and update times',
      [{ bn: AT, bu: 'Cel', u: 'K', bs: 1, s: 2, ut: 60, v: 1, bver: 10 }],
    ],
    ['fields that are not known', [{ bn: AT, v: 1, more: { a: [1] } }]],
  ])('takes %s', (_what, pack) => {
    expect(read(pack)).toBe('1');
  });

  it.each([
    ['no pack', { n: AT, v: 1 }],
    ['an empty pack', []],
    ['a record that is none', [1]],
    ['another path', [{ n: '/3/0/10', v: 1 }]],
    ['a path within a name beyond all paths', [{ bn: '/'.repeat(100), n: AT, v: 1 }]],
    ['a path that only begins alike', [{ n: '/3/0/99', v: 1 }]],
    ['no value', [{ n: AT }]],
    ['a sum alone', [{ n: AT, s: 1 }]],
    ['text as a number', [{ n: AT, v: '1' }]],
    ['two values', [{ n: AT, v: 1, vs: '1' }]],
    ['a value and a link', [{ n: AT, v: 1, vlo: '1:0' }]],
    ['a name that is a number', [{ n: 9, bn: '/3/0/', v: 1 }]],
    ['a base name that is a number', [{ bn: 3, n: AT, v: 1 }]],
    ['a time that is text', [{ n: AT, t: 'now', v: 1 }]],
    ['a base time that is text', [{ n: AT, bt: 'now', v: 1 }]],
    ['a base value that is true', [{ n: AT, bv: true, v: 1 }]],
    ['a unit that is a number', [{ n: AT, u: 1, v: 1 }]],
    ['a later version', [{ n: AT, bver: 11, v: 1 }]],
    ['a version that is none', [{ n: AT, bver: 10.5, v: 1 }]],
    ['a field that has to be understood', [{ n: AT, v: 1, must_: 1 }]],
    [
      'one resource twice for one time',
      [
        { n: AT, v: 1 },
        { n: AT, v: 2 },
      ],
    ],
    [
      'one resource twice for one date',
      [
        { n: AT, t: 1.7e9, v: 1 },
        { n: AT, bt: 1.7e9, v: 1 },
      ],
    ],
    [
      'ages beside dates',
      [
        { n: AT, t: 1.7e9, v: 1 },
        { n: AT, t: -5, v: 2 },
      ],
    ],
  ])('refuses %s', (_what, pack) => {
    expect(() => read(pack)).toThrow(CodecError);
  });

  it('gives all values of one instance with their times, and none without end', () => {
    const pack = [
      { bn: '/3/0/9/', bt: 1.5e9, n: '0', v: 1 },
      { n: '1', v: 9 },
      { n: '0', t: -2.5, v: 2 },
      { bt: 0, n: '0', t: 5, v: 3 },
      { n: '0', t: 5, v: 4 },
    ];
    expect(decodeTimed(format, packed(pack), AT, 'INT')).toEqual([
      ['1', 1.5e9],
      ['2', 1_499_999_997.5],
      ['3', 5],
      ['4', 5],
    ]);
    const endless = [{ n: AT, bt: Number.MAX_VALUE, t: Number.MAX_VALUE, v: 1 }];
    expect(() => decodeTimed(format, packed(endless), AT, 'INT')).toThrow(CodecError);
    expect(() => decodeTimed(format, packed([{ n: '/3/0/8', v: 1 }]), AT, 'INT')).toThrow(
      CodecError,
    );
  });

  it('takes a pack of 1,000 records, and none of more', () => {
    const pack = Array.from({ length: 999 }, () => ({ n: '/1/0/1', v: 2 }));
    expect(read([...pack, { n: AT, v: 1 }])).toBe('1');
    expect(() => read([...pack, ...pack.slice(0, 1), { n: AT, v: 1 }])).toThrow('too many records');
  });

  it.each<[ResourceType, object, string]>([
    ['STRING', { vs: 'Open Mobile Alliance' }, 'Open Mobile Alliance'],
    ['STRING', { vlo: '66:0' }, '66:0'],
    ['STRING', { vd: Buffer.from([1, 2, 3, 255]) }, 'AQID/w=='],
    ['STRING', { v: 21.5 }, '21.5'],
    ['OPAQUE', { vd: Buffer.from([1, 2, 3, 255]) }, 'AQID/w=='],
    ['BOOLEAN', { vb: true }, 'true'],
    ['BOOLEAN', { v: 0 }, 'false'],
    ['INT', { vb: true }, '1'],
  ])('takes for a %s %j as %s', (type, field, value) => {
    expect(read([{ n: AT, ...field }], type)).toBe(value);
  });

  it.each<[ResourceType, object]>([
    ['INT', { vs: '1' }],
    ['DOUBLE', { vd: Buffer.from('1') }],
    ['DOUBLE', { vlo: '1:0' }],
    ['BOOLEAN', { vs: 'true' }],
    ['BOOLEAN', { v: 2 }],
    ['OPAQUE', { vs: 'AQID' }],
    ['OPAQUE', { v: 1 }],
    ['STRING', { vd: 7 }],
  ])('refuses for a %s %j', (type, field) => {
    expect(() => read([{ n: AT, ...field }], type)).toThrow(CodecError);
  });
});

describe('SenML-JSON', () => {
  const read = (text: string | Buffer, type: ResourceType = 'LONG') =>
    decode(FORMATS.senmlJson, text, AT, type);

  it('keeps numbers as they are spelled', () => {
    expect(read('[{"n":"/3/0/9","v":9007199254740993}]')).toBe('9007199254740993');
    expect(read('[{"n":"/3/0/9","v":1.50}]')).toBe('1.50');
    expect(read('[{"n":"/3/0/9","bv":9007199254740993,"v":0.1}]')).toBe('9007199254740993.1');
  });

  it.each([
    ['a field twice', '[{"n":"/3/0/9","v":1,"v":2}]'],
    ['a field twice, once escaped', String.raw`[{"n":"/3/0/9","v":1,"\u0076":2}]`],
    ['half a pack', '[{"n":'],
    ['text after the pack', '[{"n":"/3/0/9","v":1}]x'],
    ['a comma at the end', '[{"n":"/3/0/9","v":1},]'],
    ['a leading zero', '[{"n":"/3/0/9","v":01}]'],
    ['a plus', '[{"n":"/3/0/9","v":+1}]'],
    ['NaN', '[{"n":"/3/0/9","v":NaN}]'],
    ['a hexadecimal number', '[{"n":"/3/0/9","v":0x10}]'],
    ['a number beyond reason', '[{"n":"/3/0/9","v":1e9999}]'],
    ['a number of 401 digits', `[{"n":"/3/0/9","v":${'1'.repeat(401)}}]`],
    ['a time beyond reason', '[{"n":"/3/0/9","t":1e99999,"v":1}]'],
    ['single quotes', "[{'n':'/3/0/9','v':1}]"],
    ['a string with a line end', '[{"n":"/3/0/9","vs":"\n"}]'],
    ['half a pair of surrogates', String.raw`[{"n":"/3/0/9","vs":"\ud800"}]`],
    ['a string that does not end', '[{"n":"/3/0/9","vs":"\\"}]'],
    ['bytes that are not UTF-8', Buffer.from([0x5b, 0xff, 0x5d])],
    ['a mark of the byte order', '\ufeff[{"n":"/3/0/9","v":1}]'],
    ['nothing', ''],
    ['lists 100,000 deep', '['.repeat(100_000)],
    ['objects 50,000 deep', '{"a":'.repeat(50_000)],
    ['100,000 numbers', `[${'1,'.repeat(99_999)}1]`],
  ])('refuses %s', (_what, text) => {
    expect(() => read(text, 'STRING')).toThrow(CodecError);
  });

  it.each<[ResourceType, string]>([
    ['STRING', 'AQID_w=='],
    ['OPAQUE', 'AQI*'],
    ['OPAQUE', 'AQIDA'],
    ['OPAQUE', 'AQ='],
    ['OPAQUE', 'A=QI'],
  ])('takes for a %s the bytes %j only when they are base64', (type, vd) => {
    const reading = () => read(JSON.stringify([{ n: AT, vd }]), type);
    if (vd === 'AQID_w==') expect(reading()).toBe('AQID/w==');
    else expect(reading).toThrow(CodecError);
  });
});

describe('SenML-CBOR', () => {
  const read = (hex: string, type: ResourceType = 'DOUBLE') =>
    decode(FORMATS.senmlCbor, bytes(hex), AT, type);
  const NAME = '66 2f332f302f39';

  it.each<[ResourceType, string, string]>([
    ['DOUBLE', '21.5', `81 a2 21 ${NAME} 02 fa 41ac0000`],
    ['INT', '-2', `81 a2 21 ${NAME} 02 21`],
    ['LONG', '9223372036854775807', `81 a2 21 ${NAME} 02 1b 7fffffffffffffff`],
    ['BOOLEAN', 'true', `81 a2 21 ${NAME} 04 f5`],
    ['STRING', 'U', `81 a2 21 ${NAME} 03 61 55`],
    ['OPAQUE', 'AQID/w==', `81 a2 21 ${NAME} 08 44 010203ff`],
  ])('writes a %s %s as %s and reads it back', (type, value, hex) => {
    const payload = encode(FORMATS.senmlCbor, value, AT, type);
    expect(payload.toString('hex')).toBe(bytes(hex).toString('hex'));
    expect(read(hex, type)).toBe(value);
  });

  it.each([
    ['endless lists, maps and texts', `9f bf 21 7f 63 2f332f 63 302f39 ff 02 35 ff ff`, '-22'],
    ['a half float', `81 a2 21 ${NAME} 02 f9 3e00`, '1.5'],
    ['a decimal fraction', `81 a2 21 ${NAME} 02 c4 82 21 19 6ab3`, '273.15'],
    ['a bignum', `81 a2 21 ${NAME} 02 c2 49 010000000000000000`, '18446744073709551616'],
    ['a number that is not known as field', `81 a3 21 ${NAME} 18 63 01 02 01`, '1'],
  ])('takes %s', (_what, hex, value) => {
    expect(read(hex)).toBe(value);
  });

  it.each([
    ['a field by its text instead of its number', `81 a2 62 626e ${NAME} 02 01`],
    ['a field by both', `81 a3 21 ${NAME} 02 01 61 76 02`],
    ['a field twice', `81 a3 21 ${NAME} 02 01 02 02`],
    ['bytes as text', `81 a2 21 ${NAME} 08 64 41514944`],
    ['a value that is not finite', `81 a2 21 ${NAME} 02 f9 7e00`],
    ['a value that is no number', `81 a2 21 ${NAME} 02 f6`],
    ['bytes after the pack', `81 a2 21 ${NAME} 02 01 00`],
    ['half a pack', `81 a2 21 ${NAME} 02`],
    ['a count beyond the end', `9b ffffffffffffffff a2 21 ${NAME} 02 01`],
    ['nothing', ''],
  ])('refuses %s', (_what, hex) => {
    expect(() => read(hex)).toThrow(CodecError);
  });
});
