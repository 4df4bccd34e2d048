import { zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';

import { isWorkbook } from '../../src/console/app/client/table/chosen-table.ts';
import { csvOf, NotWorkbook } from '../../src/console/app/client/table/workbook.ts';
import { csvRows } from '../../src/kernel/input/csv.ts';
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

  it('keeps the columns of a row with gaps, runs of a text together, and says what is true', async () => {
    const csv = await csvOf(
      blobOf(
        workbook([], {
          sheet:
            '<row r="1"><c r="A1" t="s"><v>1</v></c><c r="C1" t="s"><v>0</v></c></row>' +
            '<row r="3"><c t="b"><v>1</v></c><c r="AB3" t="str"><v>formula</v></c></row>',
          texts:
            '<si><t>bo</t></si><si><r><t>Kes</t></r><r><rPr/><t xml:space="preserve">sel </t></r><rPh><t>x</t></rPh></si>',
        }),
      ),
    );
    expect(csv).toBe(`"Kessel ",,bo\r\ntrue${','.repeat(27)}formula\r\n`);
  });

  it('has dates where its styles show numbers as dates, and elements with a prefix', async () => {
    const csv = await csvOf(
      blobOf(
        workbook([], {
          sheet:
            '<x:row xmlns:x="x"><x:c s="1"><x:v>45000.5</x:v></x:c><x:c s="2"><x:v>1.25</x:v></x:c><x:c s="3"><x:v>45001</x:v></x:c></x:row>',
          styles:
            '<numFmts><numFmt numFmtId="164" formatCode="0.0&quot;days&quot;"/><numFmt numFmtId="165" formatCode="[$-409]yyyy\\-mm"/></numFmts>' +
            '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs>',
        }),
      ),
    );
    expect(csv).toBe('2023-03-15T12:00:00.000Z,1.25,2023-03-16T00:00:00.000Z\r\n');
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
