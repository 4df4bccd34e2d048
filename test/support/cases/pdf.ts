import { deflateSync } from 'node:zlib';

export const CATALOG = '<</Type/Catalog/Pages 2 0 R>>';
const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
type Part = string | Buffer;
export const joined = (parts: Part[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));
export const stream = (dictionary: string, bytes: Buffer): Buffer =>
  joined([`<<${dictionary}/Length ${bytes.length}>>stream\n`, bytes, '\nendstream']);
export const deflated = (text: string): Buffer =>
  stream('/Filter/FlateDecode', deflateSync(Buffer.from(text)));

/** A PDF of these objects, numbered from one; the first is its catalogue. */
function pdf(objects: Part[], trailer = ''): Buffer<ArrayBuffer> {
  const parts: Part[] = ['%PDF-1.7\n'];
  const places = objects.map((object, index) => {
    const place = joined(parts).length;
    parts.push(joined([`${index + 1} 0 obj\n`, object, '\nendobj\n']));
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}`;
  const end = `trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${joined(parts).length}\n%%EOF\n`;
  return Buffer.from(joined([...parts, table, end]));
}

/** Pages that show the contents in turn. */
export function paged(
  contents: Buffer[],
  count = contents.length,
  trailer = '',
): Buffer<ArrayBuffer> {
  const kids = Array.from({ length: count }, (_, at) => 4 + contents.length + at);
  const pages = kids.map(
    (_, at) =>
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Resources<</Font<</F1 3 0 R>>>>/Contents ${4 + (at % contents.length)} 0 R>>`,
  );
  const tree = `<</Type/Pages/Kids[${kids.map((kid) => `${kid} 0 R`).join(' ')}]/Count ${count}>>`;
  return pdf([CATALOG, tree, FONT, ...contents, ...pages], trailer);
}
export const saying = (...lines: string[]): Buffer =>
  deflated(`BT /F1 12 Tf 20 200 Td ${lines.map((line) => `(${line}) Tj 0 -20 Td`).join(' ')} ET`);
