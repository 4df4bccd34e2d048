import { Unreachable } from './failure.ts';

/** Whether a file calls itself a workbook (.xlsx). */
export const isWorkbook = ({ name }: Pick<File, 'name'>): boolean => /\.xlsx$/i.test(name);

/** The table in a file as CSV; null where it is a workbook that cannot be read. Throws Unreachable. */
export async function tableOf(file: File): Promise<string | null> {
  if (!isWorkbook(file)) return file.text();
  // Larger than most pages, and needed for workbooks alone.
  const { csvOf, NotWorkbook } = await import('./workbook.ts').catch(() => {
    throw new Unreachable();
  });
  try {
    return await csvOf(file);
  } catch (error) {
    if (error instanceof NotWorkbook) return null;
    throw error;
  }
}
