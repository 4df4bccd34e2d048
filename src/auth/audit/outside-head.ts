import { appendFile, open } from 'node:fs/promises';

import { z } from 'zod';

import type { Heads } from './sealed-log.ts';

/** Longer lines are of no head. */
const MAX_LINE = 1_000;

const Head = z.object({ count: z.string().regex(/^\d{1,19}$/), mac: z.string().max(64) });
const Line = z.object({ at: z.iso.datetime(), identity: Head, mcp: Head, change: Head });

/** The heads of the chains as they were at a time, kept where the database's owner need not have access. */
export type OutsideHead = Heads & { at: string };

/** Adds a line to the file, which it makes for its owner alone. */
export async function writeHead(path: string, heads: Heads, now: number): Promise<void> {
  const line: OutsideHead = { at: new Date(now).toISOString(), ...heads };
  await appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
}

/** The heads of a file in their order; what is no head (a line that a crash cut) is left out. Throws without a file. */
export async function* readHeads(path: string): AsyncGenerator<OutsideHead> {
  const file = await open(path);
  try {
    for await (const text of file.readLines()) {
      if (text.length > MAX_LINE) continue;
      const { success, data } = Line.safeParse(asJson(text));
      if (success) yield data;
    }
  } finally {
    await file.close();
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
