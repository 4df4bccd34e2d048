import { createHash } from 'node:crypto';

const MAX_SHOWN = 300;

/** Arguments in comparable form: spacing and the order of top-level keys do not count. */
export function sameArguments(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text || '{}');
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return text;
    return JSON.stringify(Object.entries(parsed).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  } catch {
    return text;
  }
}

export const inShort = (text: string): string =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1).toWellFormed()}…`;

export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);
