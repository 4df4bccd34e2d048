import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';

import { isWorkbook } from '../../src/console/app/client/chosen-table.ts';
import { csvOf, NotWorkbook } from '../../src/console/app/client/workbook.ts';
import { csvRows } from '../../src/core/input/csv.ts';
import { workbook } from '../support/console/workbook.ts';

const blobOf = (bytes: Uint8Array): Blob => new Blob([new Uint8Array(bytes)]);
const read = async (rows: readonly (readonly (string | number)[])[]) =>
  Array.fromAsync(csvRows(await csvOf(blobOf(workbook(rows))), 100_000));

describe('a workbook as a table', () => {
  it('has the cells of its first sheet, whatever is in them', async () => {
    const rows = [
      ['deviceName', 'remark', 'port'],
      ['Boiler "2"', 'a, b\nc', '007'],
      ['=1+1', '<img src=x>&amp;', '锅炉'],
    ];
    expect(await read(rows)).toEqual(rows);
  });

  it('has numbers with every digit that the file has', async () => {
    expect(await read([['value'], [0.1], [123_456_789_012_345], [-5e-7]])).toEqual([
      ['value'],
      ['0.1'],
      ['123456789012345'],
      ['-5e-7'],
    ]);
  });

  it('of 5,000 rows is read whole', async () => {
    const rows = Array.from({ length: 5_001 }, (_, row) => [`device ${row}`, `remark of ${row}`]);
    expect(await read(rows)).toEqual(rows);
  });

  it.each([
    ['no archive', Buffer.from('deviceName,port\r\n')],
    ['another archive', Buffer.from(zipSync({ 'a.txt': new Uint8Array([1]) }))],
    ['a part of one', workbook([['a']]).subarray(0, 300)],
    ['nothing', Buffer.alloc(0)],
  ])('is not read from %s', async (_what, bytes) => {
    await expect(csvOf(blobOf(bytes))).rejects.toThrow(NotWorkbook);
  });

  it('is told by its name', () => {
    expect(isWorkbook({ name: 'Devices.XLSX' })).toBe(true);
    for (const name of ['devices.csv', 'xlsx', 'devices.xlsx.csv'])
      expect(isWorkbook({ name })).toBe(false);
  });
});
