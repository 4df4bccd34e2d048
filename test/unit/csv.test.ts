import { describe, expect, it } from 'vitest';

import { csvRows, formatCsv } from '../../src/kernel/input/csv.ts';

const parse = (text: string, maxRows: number) => Array.fromAsync(csvRows(text, maxRows));

describe('a table', () => {
  it.each([
    [
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [[['quote "x"', 'comma, semi', 'two\nlines', '']]],
    [[['=1+1', '+1', '-1', "'-1", '-1e-5', '@x', "'kept", '\tx', '\n=1', "'=1", "''+1", '＝1']]],
    [[['a;b', 'c\td']]],
    [[['ünï', '温度', '🌡']]],
  ])('is read as it was written: %j', async (rows) => {
    expect(await parse(formatCsv(rows), 10)).toEqual(rows);
  });

  it('opens in a spreadsheet as text, whatever a cell begins with', () => {
    expect(formatCsv([['=HYPERLINK("x")', '@a', '-1+A1', '-1', '+1', 'a=1']])).toBe(
      `"'=HYPERLINK(""x"")",'@a,'-1+A1,-1,'+1,a=1\r\n`,
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
    [
      'a;b\n1;"2;3"',
      [
        ['a', 'b'],
        ['1', '2;3'],
      ],
    ],
  ])('is read with any end of line, empty lines left out: %j', async (text, rows) => {
    expect(await parse(text, 10)).toEqual(rows);
  });

  it.each(['"a', 'a"b', '"a"b'])('with a broken quote is refused: %s', async (text) => {
    await expect(parse(text, 10)).rejects.toThrow('The table is broken after row 0');
  });

  it.each([
    ['too many rows', 'a\n'.repeat(11), 'more than 10 rows'],
    ['a row of 15 million commas', ','.repeat(15_000_000), 'Row 1 is longer than 256 KiB'],
    [
      'a cell of 9 million doubled quotes',
      `a\n"${'""'.repeat(9_000_000)}"`,
      'Row 2 is longer than 256 KiB',
    ],
    ['a cell that is too long', `a\n${'x'.repeat(4_097)}`, 'Row 2 has a cell of more than 4096'],
    ['more cells than titles', 'a\n1,2', 'Row 2 has more cells than there are titles'],
  ])('with %s is refused', async (_what, text, why) => {
    await expect(parse(text, 10)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(why),
    });
  });

  it('of many rows lets other work come in between', async () => {
    let between = 0;
    let done = false;
    const others = (): void => {
      between += 1;
      if (!done) setImmediate(others);
    };
    setImmediate(others);
    const rows = await parse('abc,def\n'.repeat(100_000), 100_000);
    done = true;
    expect(rows).toHaveLength(100_000);
    expect(between).toBeGreaterThan(20);
  });
});
