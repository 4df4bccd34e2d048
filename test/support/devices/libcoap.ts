import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a client of libcoap got: the code of the answer, and where the registration is. */
export type LibcoapAnswer = { code: string; location: string };

/** One request of a client program of libcoap, as it logs it. */
export async function askWithLibcoap(
  client: string,
  method: string,
  url: string,
  options: readonly string[],
): Promise<LibcoapAnswer> {
  const all = ['-v', '7', '-B', '10', '-m', method, ...options, url];
  const { stdout, stderr } = await run(client, all, { timeout: 20_000 });
  const text = stdout + stderr;
  // The last one: before it stand the 2.31 of the blocks.
  const code = [...text.matchAll(/c:([245]\.\d\d)/g)].at(-1)?.[1] ?? 'no answer';
  const segments = [...text.matchAll(/Location-Path:([^,\s\]]+)/g)].map(([, name]) => name);
  return { code, location: `/${segments.slice(0, 2).join('/')}` };
}

/** The options of a registration with this link format. */
export const links = (text: string): string[] => ['-t', '40', '-e', text];
