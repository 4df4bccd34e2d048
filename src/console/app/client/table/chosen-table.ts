import { Unreachable } from '../failure.ts';

/** What spreadsheet programs write beside UTF-8, by the language of the computer. */
export const ENCODINGS = ['windows-1252', 'windows-1250', 'windows-1251', 'gb18030'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A table as CSV; `encoding` where its bytes are no Unicode: that is a guess, which a person can change. */
type Read = { text: string; encoding: Encoding | null };

/** Whether a file calls itself a workbook (.xlsx). */
export const isWorkbook = ({ name }: Pick<File, 'name'>): boolean => /\.xlsx$/i.test(name);

/** The table in a file as CSV; null where it is a workbook that cannot be read. Throws Unreachable. */
export async function tableOf(file: File, encoding: Encoding = likely()): Promise<Read | null> {
  if (!isWorkbook(file)) return textOf(await file.arrayBuffer(), encoding);
  // Larger than most pages, and needed for workbooks alone.
  const { csvOf, NotWorkbook } = await import('./workbook.ts').catch(() => {
    throw new Unreachable();
  });
  try {
    return { text: await csvOf(file), encoding: null };
  } catch (error) {
    if (error instanceof NotWorkbook) return null;
    throw error;
  }
}

const likely = (): Encoding => (navigator.language.startsWith('zh') ? 'gb18030' : 'windows-1252');

/** UTF-16 by its mark, else UTF-8, else the encoding that is given. */
export function textOf(bytes: ArrayBuffer, encoding: Encoding): Read {
  const [first, second] = new Uint8Array(bytes.slice(0, 2));
  const mark = `${first} ${second}`;
  const unicode = { '255 254': 'utf-16le', '254 255': 'utf-16be' }[mark] ?? 'utf-8';
  try {
    return { text: new TextDecoder(unicode, { fatal: true }).decode(bytes), encoding: null };
  } catch {
    return { text: new TextDecoder(encoding).decode(bytes), encoding };
  }
}
