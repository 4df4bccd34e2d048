import { describe, expect, it } from 'vitest';

import { CodecError } from '../../driver/lwm2m/codec/codec.ts';
import type { ResourceType } from '../../driver/lwm2m/codec/resource.ts';
import { decode, decodeTimed, encode, FORMATS } from '../support/formats/codecs.ts';

const AT = '/3/0/9';
const read = (document: unknown, type: ResourceType = 'DOUBLE', at = AT) =>
  decode(
    FORMATS.json,
    typeof document === 'string' ? document : JSON.stringify(document),
    at,
    type,
  );

/** The Device object as OMA TS 1.0, 6.4.4 lays it out. */
const DEVICE = {
  bn: '/3/0/',
  e: [
    { n: '0', sv: 'Open Mobile Alliance' },
    { n: '6/0', v: 1 },
    { n: '6/1', v: 5 },
    { n: '9', v: 100 },
    { n: '13', v: 1367491215 },
    { n: '14', sv: '+02:00' },
    { n: '17', bv: true },
    { n: '18', ov: '66:0' },
    { n: '19', sv: 'AQID/w==' },
  ],
};

describe('the JSON of LwM2M 1.0', () => {
  it.each<[string, ResourceType, string]>([
    ['/3/0/0', 'STRING', 'Open Mobile Alliance'],
    ['/3/0/6', 'INT', '1'],
    ['/3/0/9', 'INT', '100'],
    ['/3/0/13', 'LONG', '1367491215'],
    ['/3/0/14', 'STRING', '+02:00'],
    ['/3/0/17', 'BOOLEAN', 'true'],
    ['/3/0/18', 'STRING', '66:0'],
    ['/3/0/19', 'OPAQUE', 'AQID/w=='],
  ])('has %s as %s', (at, type, value) => {
    expect(read(DEVICE, type, at)).toBe(value);
  });

  it.each([
    ['the path as base', { bn: AT, e: [{ v: 1 }] }],
    ['the path as base and an empty name', { bn: AT, e: [{ n: '', v: 1 }] }],
    ['no base and no name', { e: [{ v: 1 }] }],
    ['no base and the whole path', { e: [{ n: AT, v: 1 }] }],
    ['no base and the id alone', { e: [{ n: '9', v: 1 }] }],
    ['no base and an instance', { e: [{ n: '0', v: 1 }] }],
    [
      'the newest of several',
      {
        bn: AT,
        bt: 1_700_000_000,
        e: [
          { t: -5, v: 2 },
          { t: 0, v: 1 },
          { t: -9, v: 3 },
        ],
      },
    ],
  ])('is read with %s', (_what, document) => {
    expect(read(document)).toBe('1');
  });

  it('keeps an integer of 64 bits exact', () => {
    expect(read('{"e":[{"n":"/3/0/9","v":9007199254740993}]}', 'LONG')).toBe('9007199254740993');
  });

  it.each<[ResourceType, string, string]>([
    ['FLOAT', '21.5', '{"bn":"/3/0/","e":[{"n":"9","v":21.5}]}'],
    ['LONG', '9223372036854775807', '{"bn":"/3/0/","e":[{"n":"9","v":9223372036854775807}]}'],
    ['BOOLEAN', '1', '{"bn":"/3/0/","e":[{"n":"9","bv":true}]}'],
    ['STRING', 'a "text"', String.raw`{"bn":"/3/0/","e":[{"n":"9","sv":"a \"text\""}]}`],
    ['OPAQUE', 'AQID/w==', '{"bn":"/3/0/","e":[{"n":"9","sv":"AQID/w=="}]}'],
  ])('writes a %s %s', (type, value, json) => {
    expect(encode(FORMATS.json, value, AT, type).toString()).toBe(json);
  });

  it.each([
    ['no document', '[{"n":"/3/0/9","v":1}]'],
    ['no records', { bn: AT }],
    ['no record', { bn: AT, e: [] }],
    ['a record that is none', { bn: AT, e: [1] }],
    ['another resource', { bn: '/3/0/', e: [{ n: '10', v: 1 }] }],
    ['another object', { bn: '/4/0/', e: [{ n: '9', v: 1 }] }],
    ['a name that is a number', { bn: '/3/0/', e: [{ n: 9, v: 1 }] }],
    ['a base that is a number', { bn: 3, e: [{ n: AT, v: 1 }] }],
    ['two values', { bn: AT, e: [{ v: 1, sv: '1' }] }],
    ['no value', { bn: AT, e: [{ n: '' }] }],
    ['text as a number', { bn: AT, e: [{ v: '1' }] }],
    ['a string as a number', { bn: AT, e: [{ sv: '1' }] }],
    ['one resource twice', { bn: AT, e: [{ v: 1 }, { v: 2 }] }],
    ['a time that is text', { bn: AT, e: [{ t: 'now', v: 1 }] }],
    ['a field twice', '{"bn":"/3/0/9","e":[{"v":1,"v":2}]}'],
    ['half a document', '{"bn":"/3/0/9","e":['],
  ])('is refused with %s', (_what, document) => {
    expect(() => read(document)).toThrow(CodecError);
  });

  it('gives all values with their times', () => {
    const document = { bn: AT, bt: 1.7e9, e: [{ t: -5, sv: 'AQID' }, { sv: 'AAEC' }] };
    expect(decodeTimed(FORMATS.json, JSON.stringify(document), AT, 'OPAQUE')).toEqual([
      ['AQID', 1_699_999_995],
      ['AAEC', 1.7e9],
    ]);
  });

  it('has at most 1,000 records', () => {
    const e = Array.from({ length: 999 }, () => ({ n: '/1/0/1', v: 2 }));
    expect(read({ e: [...e, { n: AT, v: 1 }] })).toBe('1');
    expect(() => read({ e: [...e, ...e.slice(0, 1), { n: AT, v: 1 }] })).toThrow(
      'too many records',
    );
  });
});
