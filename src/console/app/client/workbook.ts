import { firstSheet } from './sheet.ts';

/** Why a file is not a workbook that can be read. */
export class NotWorkbook extends Error {
  override readonly name = 'NotWorkbook';
}

/** The first sheet of a workbook as CSV (RFC 4180). Throws NotWorkbook. */
export async function csvOf(file: Blob): Promise<string> {
  const rows = rowsOf(new Uint8Array(await file.arrayBuffer()));
  return rows.map((row) => `${row.map(shielded).join(',')}\r\n`).join('');
}

function rowsOf(packed: Uint8Array): string[][] {
  try {
    return firstSheet(packed);
  } catch (error) {
    throw new NotWorkbook(error instanceof Error ? error.message : String(error));
  }
}

const shielded = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
