import { describe, expect, it } from 'vitest';

import {
  formatsToRead,
  formatsToWrite,
  answered,
  written,
} from '../../driver/lwm2m/registration/formats.ts';

const [TEXT, OPAQUE, CBOR, SENML_JSON, SENML_CBOR, TLV, JSON_1_0] = [
  0, 42, 60, 110, 112, 11_542, 11_543,
];
const device = (
  version = '1.1',
  contentFormats: number[] = [],
): Parameters<typeof answered>[0] => ({
  version,
  contentFormats,
});

const read = (...known: Parameters<typeof formatsToRead>) => [...formatsToRead(...known)];

describe('the formats to try', () => {
  it.each([
    ['1.0', [], [TLV, JSON_1_0, TEXT, null]],
    ['1.1', [], [SENML_JSON, SENML_CBOR, CBOR, TEXT, TLV, null]],
    ['1.2', [], [SENML_JSON, SENML_CBOR, CBOR, TEXT, TLV, null]],
    ['1.1', [TLV], [TLV, SENML_JSON, SENML_CBOR, CBOR, TEXT, null]],
    ['1.1', [JSON_1_0, TEXT], [TEXT, JSON_1_0, SENML_JSON, SENML_CBOR, CBOR, TLV, null]],
    ['1.1', [CBOR, SENML_CBOR, TLV], [SENML_CBOR, CBOR, TLV, SENML_JSON, TEXT, null]],
    ['1.0', [SENML_JSON], [SENML_JSON, TLV, JSON_1_0, TEXT, null]],
  ])('of a device of %s that names %j are to read %j', (version, named, formats) => {
    expect(read(device(version, named), 'DOUBLE')).toEqual(formats);
  });

  it.each([
    ['1.0', [], [TLV, JSON_1_0, TEXT]],
    ['1.1', [], [TEXT, SENML_JSON, SENML_CBOR, CBOR, TLV]],
    ['1.1', [SENML_CBOR], [SENML_CBOR, SENML_JSON, CBOR, TEXT, TLV]],
    ['1.1', [SENML_CBOR, TEXT], [TEXT, SENML_CBOR, SENML_JSON, CBOR, TLV]],
    ['1.1', [OPAQUE], [TEXT, SENML_JSON, SENML_CBOR, CBOR, TLV]],
  ])('of a device of %s that names %j are to write %j', (version, named, formats) => {
    expect(formatsToWrite(device(version, named), 'DOUBLE')).toEqual(formats);
  });

  it('are others for bytes', () => {
    expect(read(device(), 'OPAQUE')).toEqual([
      OPAQUE,
      SENML_CBOR,
      CBOR,
      SENML_JSON,
      TLV,
      TEXT,
      null,
    ]);
    expect(formatsToWrite(device('1.0'), 'OPAQUE')).toEqual([TLV, OPAQUE, TEXT, JSON_1_0]);
  });
});

describe('a device that was understood', () => {
  it('is read and written in that format first', () => {
    const known = device();
    answered(known, 'DOUBLE', { asked: SENML_JSON, said: CBOR });
    expect(read(known, 'INT')[0]).toBe(CBOR);
    expect(formatsToWrite(known, 'INT')[0]).toBe(CBOR);
    expect(read(known, 'OPAQUE')[0]).toBe(OPAQUE);
  });

  it('keeps apart in which it is read and which it takes', () => {
    const known = device();
    answered(known, 'DOUBLE', { asked: CBOR, said: CBOR });
    written(known, 'DOUBLE', TEXT);
    expect(read(known, 'DOUBLE').slice(0, 2)).toEqual([CBOR, TEXT]);
    expect(formatsToWrite(known, 'DOUBLE').slice(0, 2)).toEqual([TEXT, CBOR]);
  });

  it('is asked for the format that it takes when it was never read', () => {
    const known = device();
    written(known, 'DOUBLE', TLV);
    expect(read(known, 'DOUBLE')[0]).toBe(TLV);
  });

  it('is asked for none where it answers none', () => {
    const known = device();
    answered(known, 'DOUBLE', { asked: null, said: TLV });
    expect(read(known, 'DOUBLE').slice(0, 2)).toEqual([null, TLV]);
    expect(formatsToWrite(known, 'DOUBLE')[0]).toBe(TLV);
  });

  it('is not written in a format that is not for the type', () => {
    const known = device();
    answered(known, 'STRING', { asked: TEXT, said: OPAQUE });
    expect(read(known, 'STRING')).toEqual(read(device(), 'STRING'));
    expect(formatsToWrite(known, 'STRING')).not.toContain(OPAQUE);
  });
});
