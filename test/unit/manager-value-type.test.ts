import { describe, expect, it } from 'vitest';

import type { AttributeType } from '../../src/bus/topic/topics.ts';
import { canonical, numberOf } from '../../src/manager/entity/value-type.ts';

const spellings: [AttributeType, string, string | null][] = [
  ['STRING', ' as it is ', ' as it is '],
  ['BOOLEAN', 'TRUE', 'true'],
  ['BOOLEAN', '0', 'false'],
  ['BOOLEAN', 'yes', null],
  ['BYTE', '-128', '-128'],
  ['BYTE', '128', null],
  ['SHORT', '+0032767', '32767'],
  ['SHORT', '32768', null],
  ['INT', '21.0', '21'],
  ['INT', '21.5', null],
  ['INT', '-0', '0'],
  ['INT', '1e3', null],
  ['INT', '', null],
  ['INT', '0x10', null],
  ['LONG', '9223372036854775807', '9223372036854775807'],
  ['LONG', '9223372036854775808', null],
  ['LONG', '-9223372036854775808', '-9223372036854775808'],
  ['FLOAT', '3.4028234e38', '3.4028234e+38'],
  ['FLOAT', '3.5e38', null],
  ['DOUBLE', '21.50', '21.5'],
  ['DOUBLE', '-0', '0'],
  ['DOUBLE', '.5', '0.5'],
  ['DOUBLE', '5.', '5'],
  ['DOUBLE', '1e400', null],
  ['DOUBLE', 'NaN', null],
  ['DOUBLE', 'Infinity', null],
  ['DOUBLE', '1 2', null],
  ['DOUBLE', '.', null],
  ['DOUBLE', '١', null],
];

describe('a value as text', () => {
  it.each(spellings)('as %s: %j is %j', (type, text, expected) => {
    expect(canonical(type, text)).toBe(expected);
  });

  it('is its own canonical form once it is canonical', () => {
    for (const [type, text] of spellings) {
      const once = canonical(type, text);
      if (once !== null) expect(canonical(type, once)).toBe(once);
    }
  });

  it('has a number, unless it is text', () => {
    expect(numberOf('STRING', '1')).toBeNull();
    expect(numberOf('BOOLEAN', 'true')).toBe(1);
    expect(numberOf('BOOLEAN', 'false')).toBe(0);
    expect(numberOf('DOUBLE', '21.5')).toBe(21.5);
  });
});
