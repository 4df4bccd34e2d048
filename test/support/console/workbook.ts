import { strToU8, zipSync } from 'fflate';

const NS = 'http://schemas.openxmlformats.org';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** XML in place of what is made of rows. */
type Given = { sheet?: string; texts?: string; styles?: string };

/** A workbook (ISO/IEC 29500) with one sheet; numbers are stored as numbers, texts in place. */
export function workbook(
  rows: readonly (readonly (string | number)[])[],
  { sheet, texts, styles }: Given = {},
): Buffer {
  const cells = rows.map((row, r) => {
    const of = row.map((cell, c) => {
      const place = `${String.fromCodePoint(65 + c)}${r + 1}`;
      return typeof cell === 'number'
        ? `<c r="${place}"><v>${cell}</v></c>`
        : `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`;
    });
    return `<row r="${r + 1}">${of.join('')}</row>`;
  });
  const parts = {
    '[Content_Types].xml': `${HEAD}<Types xmlns="${NS}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${NS}/package/2006/relationships"><Relationship Id="rId1" Type="${NS}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook xmlns="${NS}/spreadsheetml/2006/main" xmlns:r="${NS}/officeDocument/2006/relationships"><sheets><sheet name="Devices" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${NS}/package/2006/relationships"><Relationship Id="rId1" Type="${NS}/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `${HEAD}<worksheet xmlns="${NS}/spreadsheetml/2006/main"><sheetData>${sheet ?? cells.join('')}</sheetData></worksheet>`,
    ...(texts && {
      'xl/sharedStrings.xml': `${HEAD}<sst xmlns="${NS}/spreadsheetml/2006/main">${texts}</sst>`,
    }),
    ...(styles && {
      'xl/styles.xml': `${HEAD}<styleSheet xmlns="${NS}/spreadsheetml/2006/main">${styles}</styleSheet>`,
    }),
  };
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}
