import { describe, expect, it } from 'vitest';

import { formatCsv, parseCsv } from '../../src/core/input/csv.ts';

describe('a table', () => {
  it.each([
    [
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [[['quote "x"', 'comma, semi', 'two\nlines', '']]],
    [[['=1+1', '+1', '-1', '@x', "'kept", '\tx']]],
    [[['ünï', '温度', '🌡']]],
  ])('is read as it was written: %j', (rows) => {
    expect(parseCsv(formatCsv(rows), 10)).toEqual(rows);
  });

  it('opens in a spreadsheet as text, whatever a cell begins with', () => {
    expect(formatCsv([['=HYPERLINK("x")', '@a', '-1', '+1', 'a=1']])).toBe(
      `"'=HYPERLINK(""x"")",'@a,'-1,'+1,a=1\r\n`,
    );
  });

  it.each([
    [
      '\uFEFFa,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a\n\n\nb\n', [['a'], ['b']]],
    [
      'a,\r,b',
      [
        ['a', ''],
        ['', 'b'],
      ],
    ],
    ['', []],
  ])('is read with any end of line, empty lines left out: %j', (text, rows) => {
    expect(parseCsv(text, 10)).toEqual(rows);
  });

  it.each(['"a', 'a"b', '"a"b'])('with a broken quote is refused: %s', (text) => {
    expect(() => parseCsv(text, 10)).toThrow('The table is broken after row 0');
  });

  it('with too many rows is refused', () => {
    expect(() => parseCsv('a\n'.repeat(11), 10)).toThrow('more than 10 rows');
  });
});
