import { describe, expect, it } from 'vitest';

import { CodecError } from '../../driver/lwm2m/codec/codec.ts';
import type { ResourceType } from '../../driver/lwm2m/codec/resource.ts';
import { codecs } from '../../driver/lwm2m/format/codecs.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const path = (text: string) => {
  const [objectId = 0, objectInstanceId = 0, resourceId = 0] = text.split('/').slice(1).map(Number);
  return { objectId, objectInstanceId, resourceId };
};
const codec = (format: number) => {
  const found = codecs.get(format);
  if (!found) throw new Error(`no codec for ${format}`);
  return found;
};
const decode = (format: number, payload: Buffer | string, at: string, type: ResourceType) =>
  codec(format).decode(Buffer.from(payload), path(at), type);
const encode = (format: number, value: string, at: string, type: ResourceType) =>
  codec(format).encode(value, path(at), type);

const TEXT = 0;
const OPAQUE = 42;
const SENML_JSON = 110;
const TLV = 11542;

/** The Device object of OMA Core 1.1, 7.4.4: manufacturer, model, serial, …, battery, memory, binding. */
const DEVICE = `C8 00 14 4F 70 65 6E 20 4D 6F 62 69 6C 65 20 41 6C 6C 69 61 6E 63 65
  C8 01 16 4C 69 67 68 74 77 65 69 67 68 74 20 4D 32 4D 20 43 6C 69 65 6E 74
  C8 02 09 33 34 35 30 30 30 31 32 33 C3 03 31 2E 30 86 06 41 00 01 41 01 05
  88 07 08 42 00 0E D8 42 01 13 88 87 08 41 00 7D 42 01 03 84 C1 09 64 C1 0A 0F
  83 0B 41 00 00 C4 0D 51 82 42 8F C6 0E 2B 30 32 3A 30 30 C1 10 55`.replaceAll(/\s/g, '');

describe('TLV', () => {
  it.each<[string, ResourceType, string]>([
    ['/3/0/0', 'STRING', 'Open Mobile Alliance'],
    ['/3/0/1', 'STRING', 'Lightweight M2M Client'],
    ['/3/0/2', 'STRING', '345000123'],
    ['/3/0/3', 'STRING', '1.0'],
    ['/3/0/6', 'INT', '1'],
    ['/3/0/7', 'INT', '3800'],
    ['/3/0/9', 'INT', '100'],
    ['/3/0/10', 'INT', '15'],
    ['/3/0/13', 'LONG', '1367491215'],
    ['/3/0/14', 'STRING', '+02:00'],
    ['/3/0/16', 'STRING', 'U'],
  ])('finds %s as %s in the device object, also inside its instance', (at, type, value) => {
    expect(decode(TLV, bytes(DEVICE), at, type)).toBe(value);
    const wrapped = bytes(`08 00 ${(DEVICE.length / 2).toString(16).padStart(2, '0')} ${DEVICE}`);
    expect(decode(TLV, wrapped, at, type)).toBe(value);
  });

  it.each<[string, ResourceType, string, string]>([
    ['/3/0/9', 'INT', '100', 'C1 09 64'],
    ['/3/0/9', 'INT', '-1', 'C1 09 FF'],
    ['/3/0/9', 'SHORT', '-129', 'C2 09 FF 7F'],
    ['/3/0/13', 'LONG', '1367491215', 'C4 0D 51 82 42 8F'],
    ['/3/0/13', 'LONG', '4294967296', 'C8 0D 08 00 00 00 01 00 00 00 00'],
    ['/3308/0/5900', 'FLOAT', '21.5', 'E4 17 0C 41 AC 00 00'],
    ['/3308/0/5900', 'DOUBLE', '0.1', 'E8 17 0C 08 3F B9 99 99 99 99 99 9A'],
    ['/3306/0/5850', 'BOOLEAN', 'true', 'E1 16 DA 01'],
    ['/3/0/0', 'STRING', 'Open Mobile Alliance', `C8 00 14 ${DEVICE.slice(6, 46)}`],
  ])('writes %s as %s %s in the bytes %4$s and reads it back', (at, type, value, hex) => {
    const payload = encode(TLV, value, at, type);
    expect(payload.toString('hex')).toBe(bytes(hex).toString('hex'));
    expect(decode(TLV, payload, at, type)).toBe(value);
  });

  it('reads a 32-bit float as the decimal it was meant to be', () => {
    expect(decode(TLV, bytes('E4 16 44 41 AA 66 66'), '/3303/0/5700', 'DOUBLE')).toBe('21.3');
  });

  it('takes no NUL at the end of a text for a part of it', () => {
    expect(decode(TLV, bytes('C5 00 41 63 6D 65 00'), '/3/0/0', 'STRING')).toBe('Acme');
    expect(decode(SENML_JSON, '[{"n":"/3/0/0","vs":"Acme\\u0000"}]', '/3/0/0', 'STRING')).toBe(
      'Acme',
    );
  });

  it('writes long texts with a length of two bytes', () => {
    const payload = encode(TLV, 'x'.repeat(300), '/3/0/0', 'STRING');
    expect(payload.subarray(0, 4).toString('hex')).toBe('d000012c');
    expect(decode(TLV, payload, '/3/0/0', 'STRING')).toHaveLength(300);
  });

  it.each([
    ['a length beyond the end', 'C8 00 14 4F'],
    ['a head cut off', 'E8 16'],
    ['a length of three bytes beyond the end', 'D8 00 FF FF FF 00'],
    ['a number of three bytes', 'C3 09 01 02 03'],
    ['an empty number', 'C0 09'],
    ['another resource', 'C1 0A 0F'],
    ['nothing', ''],
    ['an instance with rubbish inside', '08 00 02 C8 00'],
    ['the resource twice', 'C1 09 64 C1 09 64'],
    ['the resource as one and as several', 'C1 09 64 83 09 41 00 64'],
    ['the instance twice', '03 00 C1 09 64 03 00 C1 09 64'],
    ['an instance of a resource alone', '41 09 64'],
    ['several without one', '80 09'],
  ])('refuses %s', (_what, hex) => {
    expect(() => decode(TLV, bytes(hex), '/3/0/9', 'INT')).toThrow(CodecError);
  });

  it.each(['7F C0 00 00', '7F 80 00 00', 'FF 80 00 00'])('refuses %s as a number', (hex) => {
    expect(() => decode(TLV, bytes(`C4 09 ${hex}`), '/3/0/9', 'FLOAT')).toThrow('not finite');
    const wide = `C8 09 08 ${hex.replace('C0', 'F8').replaceAll('80 00', 'F0 00')} 00 00 00 00`;
    expect(() => decode(TLV, bytes(wide), '/3/0/9', 'DOUBLE')).toThrow('not finite');
  });

  it('takes 20,000 entries, and no more', () => {
    const entries = Buffer.concat(Array.from({ length: 19_999 }, () => bytes('C0 01')));
    const own = bytes('C1 09 64');
    expect(decode(TLV, Buffer.concat([entries, own]), '/3/0/9', 'INT')).toBe('100');
    const more = Buffer.concat([entries, bytes('C0 01'), own]);
    expect(() => decode(TLV, more, '/3/0/9', 'INT')).toThrow('too many entries');
  });

  it('answers each of 20,000 random payloads with a value or a CodecError', () => {
    let state = 7;
    const random = (limit: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % limit;
    };
    const unexpected: unknown[] = [];
    for (let i = 0; i < 20_000; i += 1) {
      const payload = Buffer.from(Array.from({ length: random(12) }, () => random(256)));
      try {
        decode(TLV, payload, '/0/0/0', 'INT');
      } catch (error) {
        if (!(error instanceof CodecError)) unexpected.push(error);
      }
    }
    expect(unexpected).toEqual([]);
  });
});

describe('SenML JSON', () => {
  const pack = `[{"bn":"/3/0/","n":"0","vs":"Open Mobile Alliance"},{"n":"9","v":95},
    {"n":"7/0","v":3800},{"n":"13","v":9007199254740993},{"n":"17","vb":true},
    {"n":"18","vd":"AQID_w"},{"n":"19","vlo":"66:0"},
    {"bn":"/3303/1","n":"/5700","bv":20,"v":1.50},{"n":"/5601"}]`;

  it.each<[string, ResourceType, string]>([
    ['/3/0/0', 'STRING', 'Open Mobile Alliance'],
    ['/3/0/9', 'INT', '95'],
    ['/3/0/7', 'INT', '3800'],
    ['/3/0/13', 'LONG', '9007199254740993'],
    ['/3/0/17', 'BOOLEAN', 'true'],
    ['/3/0/18', 'STRING', 'AQID/w=='],
    ['/3/0/19', 'STRING', '66:0'],
    ['/3303/1/5700', 'DOUBLE', '21.5'],
    ['/3303/1/5601', 'DOUBLE', '20'],
  ])('finds %s as %s', (at, type, value) => {
    expect(decode(SENML_JSON, pack, at, type)).toBe(value);
  });

  it.each([
    ['a base name that is the whole path', '[{"bn":"/3/0/9","v":1}]'],
    ['a base name without its last slash', '[{"bn":"/3/0","n":"/9","v":1}]'],
    ['a name without base', '[{"n":"/3/0/9","v":1}]'],
  ])('takes %s', (_what, payload) => {
    expect(decode(SENML_JSON, payload, '/3/0/9', 'INT')).toBe('1');
  });

  it.each<[ResourceType, string, string]>([
    ['FLOAT', '21.5', '[{"bn":"/3308/0/5900","v":21.5}]'],
    ['LONG', '9223372036854775807', '[{"bn":"/3308/0/5900","v":9223372036854775807}]'],
    ['BOOLEAN', '1', '[{"bn":"/3308/0/5900","vb":true}]'],
    ['STRING', 'a "quoted" text', String.raw`[{"bn":"/3308/0/5900","vs":"a \"quoted\" text"}]`],
  ])('writes a %s %s', (type, value, json) => {
    expect(encode(SENML_JSON, value, '/3308/0/5900', type).toString()).toBe(json);
  });

  it.each([
    ['no JSON', '[{"n":'],
    ['no pack', '{"n":"/3/0/9","v":1}'],
    ['an empty pack', '[]'],
    ['another path', '[{"n":"/3/0/10","v":1}]'],
    ['a path that only begins alike', '[{"n":"/3/0/99","v":1}]'],
    ['no value', '[{"n":"/3/0/9"}]'],
    ['a value of another kind', '[{"n":"/3/0/9","v":"1"}]'],
    [
      'too many records',
      JSON.stringify(Array.from({ length: 1001 }, () => ({ n: '/1/0/1', v: 1 }))),
    ],
    ['bytes that are not UTF-8', Buffer.from([0x5b, 0xff, 0x5d])],
  ])('refuses %s', (_what, payload) => {
    expect(() => decode(SENML_JSON, payload, '/3/0/9', 'INT')).toThrow(CodecError);
  });

  const timed = (payload: string) =>
    codec(SENML_JSON)
      .decodeTimed?.(Buffer.from(payload), path('/3/0/9'), 'INT')
      .map(({ value, timeS }) => [value, timeS]);

  it.each<[string, string, [string, number][]]>([
    ['none', '[{"n":"/3/0/9","v":1}]', [['1', 0]]],
    ['its own', '[{"n":"/3/0/9","v":1,"t":-2.5}]', [['1', -2.5]]],
    [
      'the base time',
      '[{"bn":"/3/0/9","bt":1.5e9,"v":1},{"v":2,"t":10},{"bt":1600000000,"v":3}]',
      [
        ['1', 1.5e9],
        ['2', 1.5e9 + 10],
        ['3', 1.6e9],
      ],
    ],
    [
      'those of one instance of several',
      '[{"bn":"/3/0/9/","n":"0","v":1},{"n":"1","v":2},{"n":"0","v":3,"t":5}]',
      [
        ['1', 0],
        ['3', 5],
      ],
    ],
  ])('answers values with times: %s', (_what, payload, values) => {
    expect(timed(payload)).toEqual(values);
  });

  it('refuses times that are no numbers, and a pack without the resource', () => {
    expect(() => timed('[{"n":"/3/0/9","v":1,"t":"1"}]')).toThrow(CodecError);
    expect(() => timed('[{"n":"/3/0/8","v":1}]')).toThrow(CodecError);
  });
});

describe('text', () => {
  it.each<[ResourceType, string, string]>([
    ['DOUBLE', ' 21.5\n', '21.5'],
    ['STRING', ' as it is ', ' as it is '],
    ['DOUBLE', '21.5\0', '21.5'],
    ['INT', '42\0\0', '42'],
    ['STRING', 'Acme\0', 'Acme'],
    ['STRING', 'A\0cme', 'A\0cme'],
  ])('takes a %s %j as %j', (type, payload, value) => {
    expect(decode(TEXT, payload, '/3/0/9', type)).toBe(value);
  });

  it('writes a boolean as 0 or 1', () => {
    expect(encode(TEXT, 'true', '/3/0/9', 'BOOLEAN').toString()).toBe('1');
    expect(encode(TEXT, '0', '/3/0/9', 'BOOLEAN').toString()).toBe('0');
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => decode(TEXT, Buffer.from([0xff]), '/3/0/9', 'STRING')).toThrow(CodecError);
  });
});

describe('opaque', () => {
  it('is base64 as a value', () => {
    expect(decode(OPAQUE, bytes('01 02 03 FF'), '/0/0/3', 'STRING')).toBe('AQID/w==');
    expect(encode(OPAQUE, 'AQID/w==', '/0/0/3', 'OPAQUE').toString('hex')).toBe('010203ff');
  });

  it('refuses what is not base64, and numbers', () => {
    expect(() => encode(OPAQUE, 'not base64!', '/0/0/3', 'OPAQUE')).toThrow(CodecError);
    expect(() => decode(OPAQUE, bytes('01'), '/0/0/3', 'INT')).toThrow(CodecError);
  });
});
