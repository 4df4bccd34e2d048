import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { z } from 'zod';

import type { App } from '../../../kernel/app/app.ts';
import { TooManyRequests } from '../../../kernel/errors.ts';
import { createQueue } from '../../../kernel/queue.ts';
import { slot } from '../../../kernel/slot.ts';
import { MAX_READING_MS } from './limits.ts';

/** What was read of a PDF: the beginning of its text, or why there is none. */
const Read = z.union([
  z.object({ text: z.string(), pages: z.number().int(), isWhole: z.boolean() }),
  z.object({ problem: z.enum(['protected', 'broken']) }),
]);
export type Read = z.output<typeof Read>;

/** A character is at most six bytes of JSON. */
const BYTES_OF_CHARACTER = 6;
const BYTES_OF_THE_REST = 1_024;

const PROBLEMS = {
  protected: 'the PDF is protected by a password: its text cannot be read',
  broken: 'the PDF is broken: its text cannot be read',
  heavy: 'the PDF is too large or too intricate: its text cannot be read',
  empty: 'the PDF holds no text where it was read: it may be a scan',
  busy: 'too many PDFs are read now: its text cannot be read in this turn',
};

/** The queue of PDFs to read: two at the same time, each in a separate process. */
export const PDFS = slot((clock) =>
  createQueue(clock, {
    atOnce: 2,
    maxWaiting: 16,
    refusal: () => new TooManyRequests(PROBLEMS.busy, 1),
  }),
);

type Excerpt = { excerpt: string; isWhole: boolean; pages: number } | { problem: string };

/**
 * Reads the first `length` characters of a PDF in another process; U+000C separates the pages. Waits at most `withinMs`,
 * of which the reading takes at most `mostMs`. Never throws for the contents of the file.
 */
export async function textOfPdf(
  app: Pick<App, 'clock' | 'log' | 'of'>,
  bytes: Buffer,
  {
    length,
    withinMs,
    mostMs = MAX_READING_MS,
  }: { length: number; withinMs: number; mostMs?: number },
): Promise<Excerpt> {
  const until = app.clock.elapsed() + withinMs;
  const work = (): Promise<Read | null> =>
    readApart(app, bytes, length, Math.min(mostMs, until - app.clock.elapsed()));
  try {
    const read = await app.of(PDFS)(work, { waitMs: withinMs });
    if (read === null) return { problem: PROBLEMS.heavy };
    if ('problem' in read) return { problem: PROBLEMS[read.problem] };
    const { text, isWhole, pages } = read;
    if (text.trim() === '') return { problem: PROBLEMS.empty };
    return { excerpt: text, isWhole, pages };
  } catch (error) {
    if (error instanceof TooManyRequests) return { problem: PROBLEMS.busy };
    throw error;
  }
}

/** Of the process that reads a PDF; the first one is run. */
const SOURCES = ['process.ts', 'worker.ts', 'limits.ts'] as const;

/**
 * The arguments of a process that may read its own sources and the package, and writes and sends nothing. Links are
 * followed before: its rights are those of the places that they lead to.
 */
async function argumentsFor(length: number): Promise<string[]> {
  const library = import.meta.resolve('unpdf');
  const [sources, packaged] = await Promise.all([
    realpath(fileURLToPath(new URL('.', import.meta.url))),
    realpath(fileURLToPath(library)),
  ]);
  return [
    '--permission',
    '--allow-worker',
    ...SOURCES.map((file) => `--allow-fs-read=${join(sources, file)}`),
    `--allow-fs-read=${dirname(dirname(packaged))}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    join(sources, SOURCES[0]),
    pathToFileURL(packaged).href,
    String(length),
  ];
}

/** What the process says; null where it had to be ended, or ended itself. */
async function readApart(
  { clock, log }: Pick<App, 'clock' | 'log'>,
  bytes: Buffer,
  length: number,
  withinMs: number,
): Promise<Read | null> {
  const abort = new AbortController();
  const cancel = clock.after(withinMs, () => abort.abort());
  try {
    const given = await argumentsFor(length);
    const said = await new Promise<string>((resolve, reject) => {
      const child = execFile(
        process.execPath,
        given,
        {
          env: {},
          signal: abort.signal,
          killSignal: 'SIGKILL',
          maxBuffer: BYTES_OF_CHARACTER * length + BYTES_OF_THE_REST,
        },
        (error, stdout) => (error ? reject(error) : resolve(stdout)),
      );
      // It may end before it has read all of the file.
      child.stdin?.on('error', () => {}).end(bytes);
    });
    return Read.parse(JSON.parse(said));
  } catch (error) {
    log.info({ error, size: bytes.length }, 'a PDF could not be read');
    return null;
  } finally {
    cancel();
  }
}
