import { describe, expect, it } from 'vitest';

import { isNumeral } from '../../driver/lwm2m/codec/item.ts';
import type { Entry } from '../../driver/lwm2m/format/entry.ts';
import { entriesIn as cborEntries } from '../../driver/lwm2m/format/senml-cbor.ts';
import { entriesIn as jsonEntries } from '../../driver/lwm2m/format/senml-json.ts';
import * as decimal from '../../src/kernel/decimal.ts';
import { bytes } from '../support/formats/codecs.ts';

/** Name, time and value of each resolved record. */
const shown = (entries: readonly Entry[]) =>
  entries.map(({ name, time, value }) => [
    name,
    decimal.format(time),
    isNumeral(value) ? Number(value.numeral) : value,
  ]);
const json = (text: string) => shown(jsonEntries(Buffer.from(text)));
const cbor = (hex: string) => shown(cborEntries(bytes(hex)));

const DEVICE = 'urn:dev:ow:10e2073a01080063:';
/** RFC 8428, 5.1.2 and, resolved, 4.6: the record with the base and six readings of the current. */
const CURRENT = [
  [`${DEVICE}voltage`, '1276020076.001', 120.1],
  [`${DEVICE}current`, '1276020071.001', 1.2],
  [`${DEVICE}current`, '1276020072.001', 1.3],
  [`${DEVICE}current`, '1276020073.001', 1.4],
  [`${DEVICE}current`, '1276020074.001', 1.5],
  [`${DEVICE}current`, '1276020075.001', 1.6],
  [`${DEVICE}current`, '1276020076.001', 1.7],
];

describe('the examples of RFC 8428', () => {
  it('5.1.1: a single reading', () => {
    expect(json('[{"n":"urn:dev:ow:10e2073a01080063","u":"Cel","v":23.1}]')).toEqual([
      ['urn:dev:ow:10e2073a01080063', '0', 23.1],
    ]);
  });

  it('5.1.2: several readings under one base, with times of their own', () => {
    const pack = `[{"bn":"${DEVICE}","bt":1.276020076001e+09,"bu":"A","bver":5,"n":"voltage","u":"V","v":120.1},
      {"n":"current","t":-5,"v":1.2},{"n":"current","t":-4,"v":1.3},{"n":"current","t":-3,"v":1.4},
      {"n":"current","t":-2,"v":1.5},{"n":"current","t":-1,"v":1.6},{"n":"current","v":1.7}]`;
    expect(json(pack)).toEqual(CURRENT);
  });

  it('5.1.3, shortened: one base for all; and then another one', () => {
    const pack = `[{"bn":"urn:dev:ow:10e2073a01080063","bt":1.320067464e+09,"bu":"%RH","v":20},
      {"u":"lon","v":24.30621},{"u":"lat","v":60.07965},{"t":60,"v":20.3},{"u":"lon","t":60,"v":24.30622},
      {"bn":"urn:dev:ow:other:","bt":1320067584,"n":"x","t":-10,"v":1}]`;
    expect(json(pack)).toEqual([
      ['urn:dev:ow:10e2073a01080063', '1320067464', 20],
      ['urn:dev:ow:10e2073a01080063', '1320067464', 24.30621],
      ['urn:dev:ow:10e2073a01080063', '1320067464', 60.07965],
      ['urn:dev:ow:10e2073a01080063', '1320067524', 20.3],
      ['urn:dev:ow:10e2073a01080063', '1320067524', 24.30622],
      ['urn:dev:ow:other:x', '1320067574', 1],
    ]);
  });

  it('5.1.5: values of several kinds', () => {
    const pack = `[{"bn":"urn:dev:ow:10e2073a01080063:","n":"temp","u":"Cel","v":23.1},
      {"n":"label","vs":"Machine Room"},{"n":"open","vb":false},{"n":"nfc-reader","vd":"aGkgCg"}]`;
    expect(json(pack)).toEqual([
      [`${DEVICE}temp`, '0', 23.1],
      [`${DEVICE}label`, '0', 'Machine Room'],
      [`${DEVICE}open`, '0', false],
      [`${DEVICE}nfc-reader`, '0', Buffer.from('hi \n')],
    ]);
  });

  it('6: the readings of 5.1.2 in CBOR', () => {
    expect(
      cbor(`87 a7 21 78 1c ${Buffer.from(DEVICE).toString('hex')} 22 fb 41d303a15b001062 23 6141 20 05
         00 67 766f6c74616765 01 6156 02 fb 405e066666666666
         a3 00 67 63757272656e74 06 24 02 fb 3ff3333333333333
         a3 00 67 63757272656e74 06 23 02 fb 3ff4cccccccccccd
         a3 00 67 63757272656e74 06 22 02 fb 3ff6666666666666
         a3 00 67 63757272656e74 06 21 02 f9 3e00
         a3 00 67 63757272656e74 06 20 02 fb 3ff999999999999a
         a3 00 67 63757272656e74 06 00 02 fb 3ffb333333333333`),
    ).toEqual(CURRENT);
  });
});
