import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { createQueue } from '../../kernel/queue.ts';
import { slot } from '../../kernel/slot.ts';
import { MAX_READING_MS } from './limits.ts';

/** What was read of a file: the beginning of its text, or why there is none. */
const Read = z.union([
  z.object({ text: z.string(), pages: z.number().int(), isWhole: z.boolean() }),
  z.object({ problem: z.enum(['protected', 'broken']) }),
]);
export type Read = z.output<typeof Read>;

/** A character is at most six bytes of JSON. */
const BYTES_OF_CHARACTER = 6;
const BYTES_OF_THE_REST = 1_024;

const PROBLEMS = {
  protected: 'the file is protected by a password: its text cannot be read',
  broken: 'the file is broken: its text cannot be read',
  heavy: 'the file is too large or too intricate: its text cannot be read',
  empty: 'the file holds no text where it was read: it may be a scan',
  busy: 'too many files are read now: its text cannot be read yet',
};
/** The problem of a file that can be read at another time. */
export const BUSY = PROBLEMS.busy;

/** The formats that are read apart. */
export type Format = 'pdf' | 'docx' | 'xlsx';

/** The queue of files to read: two at the same time, each in a separate process. */
export const READERS = slot((clock) =>
  createQueue(clock, {
    atOnce: 2,
    maxWaiting: 16,
    refusal: () => new TooManyRequests(PROBLEMS.busy, 1),
  }),
);

type Excerpt = { excerpt: string; isWhole: boolean; pages: number } | { problem: string };

/**
 * Reads the first `length` characters of a file in another process; U+000C separates the pages (of a workbook: its sheets,
 * in parts of rows). Waits at most `withinMs`, of which the reading takes at most `mostMs`. Never throws for the contents
 * of the file.
 */
export async function textApart(
  app: Pick<App, 'clock' | 'log' | 'of'>,
  { bytes, format }: { bytes: Buffer; format: Format },
  {
    length,
    withinMs,
    mostMs = MAX_READING_MS,
  }: { length: number; withinMs: number; mostMs?: number },
): Promise<Excerpt> {
  const until = app.clock.elapsed() + withinMs;
  const work = (): Promise<Read | null> =>
    readApart(app, bytes, { format, length }, Math.min(mostMs, until - app.clock.elapsed()));
  try {
    const read = await app.of(READERS)(work, { waitMs: withinMs });
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

type Wanted = { format: Format; length: number };

/** Of the process that reads a file; the first one is run. */
const SOURCES = ['process.ts', 'worker.ts', 'limits.ts', 'pdf.ts', 'office.ts'] as const;
/** What the process reads of the console's sources: workbooks are read in a browser, too. */
const WORKBOOK = '../../console/app/client/table/workbook.ts';

const packages = (): string[] => [
  import.meta.resolve('unpdf'),
  import.meta.resolve('fflate'),
  import.meta.resolve('@rgrove/parse-xml'),
];

/**
 * The arguments of a process that may read its own sources and the packages, and writes and sends nothing. Links are
 * followed before: its rights are those of the places that they lead to.
 */
async function argumentsFor({ format, length }: Wanted): Promise<string[]> {
  const place = (name: string): Promise<string> =>
    realpath(fileURLToPath(new URL(name, import.meta.url)));
  const [sources, workbook, ...libraries] = await Promise.all([
    place('.'),
    place(WORKBOOK),
    ...packages().map((url) => realpath(fileURLToPath(url))),
  ]);
  return [
    '--permission',
    '--allow-worker',
    ...SOURCES.map((file) => `--allow-fs-read=${join(sources, file)}`),
    `--allow-fs-read=${workbook}`,
    ...libraries.map((library) => `--allow-fs-read=${packageOf(library)}`),
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    join(sources, SOURCES[0]),
    format,
    String(length),
  ];
}

/** The folder of a package, of a file in it. */
const packageOf = (file: string): string =>
  /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(file)?.[0] ?? dirname(file);

/** What the process says; null where it had to be ended, or ended itself. */
async function readApart(
  { clock, log }: Pick<App, 'clock' | 'log'>,
  bytes: Buffer,
  wanted: Wanted,
  withinMs: number,
): Promise<Read | null> {
  const abort = new AbortController();
  const cancel = clock.after(withinMs, () => abort.abort());
  try {
    const given = await argumentsFor(wanted);
    const said = await new Promise<string>((resolve, reject) => {
      const child = execFile(
        process.execPath,
        given,
        {
          env: {},
          signal: abort.signal,
          killSignal: 'SIGKILL',
          maxBuffer: BYTES_OF_CHARACTER * wanted.length + BYTES_OF_THE_REST,
        },
        (error, stdout) => (error ? reject(error) : resolve(stdout)),
      );
      // It may end before it has read all of the file.
      child.stdin?.on('error', () => {}).end(bytes);
    });
    return Read.parse(JSON.parse(said));
  } catch (error) {
    log.info({ error, format: wanted.format, size: bytes.length }, 'a file could not be read');
    return null;
  } finally {
    cancel();
  }
}
