import { z } from 'zod';

import type { Got } from './http.ts';

const Envelope = z.strictObject({
  ok: z.boolean(),
  code: z.string(),
  message: z.string(),
  data: z.unknown().optional(),
});
/** What Node's HTTP parser answers by itself, before the platform sees a request. */
const PARSER = [400, 408, 413, 417, 431];
/** What an answer must not tell: stacks, files, SQL. */
const LEAKS =
  /node_modules|\.ts:\d+:\d+|\n\s+at \S+ \(|violates \S+ constraint|syntax error at|invalid input syntax|unterminated|relation "svc_/;

export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What is wrong with any answer whatever its form; null when nothing is. */
export function leaksOrFails(got: Got): string | null {
  const { status, text } = got;
  if (status >= 500) return `answered ${status} ${text.slice(0, 200)}`;
  if (status === 0 && text === 'timeout') return 'no answer';
  const [leak] = LEAKS.exec(text) ?? [];
  return leak === undefined ? null : `leaks ${leak} in ${text.slice(0, 200)}`;
}

/** Answers that have no body to look at. */
export const isBare = ({ status, text }: Got): boolean =>
  [0, 204, 304].includes(status) || (text === '' && PARSER.includes(status));

/** What is wrong with a REST answer: everything leaves in the envelope. */
export function wrongRest(got: Got, method: string): string | null {
  const failure = leaksOrFails(got);
  if (failure !== null || method === 'HEAD' || isBare(got)) return failure;
  if (got.status === 200 && got.isFile) return null;
  const envelope = Envelope.safeParse(json(got.text));
  if (!envelope.success) return `no envelope but ${got.status} ${got.text.slice(0, 200)}`;
  const isOk = got.status < 300 || !envelope.data.ok;
  return isOk ? null : `says ok with status ${got.status}`;
}
