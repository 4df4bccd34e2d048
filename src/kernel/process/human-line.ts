import { z } from 'zod';

import { clean } from '../sentence/visible.ts';

const LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'ERROR',
};
const MAX_FACT = 200;

const Line = z.looseObject({
  level: z.number(),
  time: z.number(),
  msg: z.string().default(''),
  error: z.looseObject({ message: z.string(), cause: z.unknown().optional() }).optional(),
});

/**
 * A log line for a terminal: time of day (UTC), level, message, short facts, and the messages of an error
 * and its causes, without the stack, which the JSON form keeps. Control characters are removed, so that
 * text from a device or client cannot move the cursor or hide other text.
 */
export function humanLine(json: string): string {
  const parsed = Line.safeParse(JSON.parse(json));
  if (!parsed.success) return json;
  const { level, time, msg, error, ...facts } = parsed.data;
  const clock = new Date(time).toISOString().slice(11, 19);
  const told = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined || value === null || value === ''
      ? []
      : [`${name}=${cut(typeof value === 'string' ? value : JSON.stringify(value))}`],
  );
  const why = error ? [`(${cut(reasons(error).join('; because: '))})`] : [];
  const text = [msg, ...told, ...why].join(' ');
  return `${clock} ${(LEVELS[level] ?? `${level}`).padEnd(5)} ${clean(text, Number.POSITIVE_INFINITY)}\n`;
}

const cut = (text: string): string =>
  text.length > MAX_FACT ? `${text.slice(0, MAX_FACT)}…` : text;

function reasons(error: unknown, depth = 0): string[] {
  const parsed = z
    .looseObject({ message: z.string(), cause: z.unknown().optional() })
    .safeParse(error);
  if (!parsed.success || depth > 3) return [];
  return [parsed.data.message, ...reasons(parsed.data.cause, depth + 1)];
}
