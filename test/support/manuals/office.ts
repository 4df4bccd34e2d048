import { strToU8, zipSync } from 'fflate';

const NS = 'http://schemas.openxmlformats.org';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const zipped = (parts: Record<string, string>): Buffer<ArrayBuffer> =>
  Buffer.from(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))),
  );

/** A document (ISO/IEC 29500) with these paragraphs on its pages, each but the first begun as Word does. */
export function document(pages: readonly (readonly string[])[], more = ''): Buffer<ArrayBuffer> {
  const paragraphs = pages.flatMap((lines, page) =>
    lines.map((line, at) => {
      const begin = page > 0 && at === 0 ? '<w:br w:type="page"/><w:lastRenderedPageBreak/>' : '';
      return `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr><w:r>${begin}<w:t xml:space="preserve">${escaped(line)}</w:t></w:r></w:p>`;
    }),
  );
  return zipped({
    'word/document.xml': `${HEAD}<w:document xmlns:w="${NS}/wordprocessingml/2006/main"><w:body>${paragraphs.join('')}${more}</w:body></w:document>`,
  });
}
