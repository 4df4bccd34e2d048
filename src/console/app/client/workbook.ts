import { unzipSync, zipSync } from 'fflate';
import { readSheet } from 'read-excel-file/universal';

/** Largest part of a workbook, unpacked: a small file may hold very much. */
const MAX_PART_BYTES = 50_000_000;

/** Why a file is not a workbook that can be read. */
export class NotWorkbook extends Error {
  override readonly name = 'NotWorkbook';
}

/** The first sheet of a workbook as CSV (RFC 4180). Throws NotWorkbook. */
export async function csvOf(file: Blob): Promise<string> {
  const rows = await rowsOf(await file.arrayBuffer());
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

async function rowsOf(packed: ArrayBuffer): Promise<readonly (readonly unknown[])[]> {
  try {
    const parts = unzipSync(new Uint8Array(packed), {
      filter: ({ originalSize }) => originalSize <= MAX_PART_BYTES,
    });
    // Packed again without compression: large parts would be unpacked by a worker made of a text, which the policy of the page forbids.
    const stored = zipSync(parts, { level: 0 });
    return await readSheet(new Blob([new Uint8Array(stored)]), { parseNumber: (text) => text });
  } catch (error) {
    throw new NotWorkbook(error instanceof Error ? error.message : String(error));
  }
}

function cellOf(value: unknown): string {
  const text = textOf(value);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The types of the reader leave open what a cell may be. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'boolean' || typeof value === 'number' ? String(value) : '';
}
