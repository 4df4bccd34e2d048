import { createHash, randomBytes } from 'node:crypto';

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

/** Ids of calls that a client runs name the stored steps of the turn that they belong to. */
const CALL_ID = /^call_([0-9a-f]{24})_\d{1,3}$/;

export const newHandle = (): string => randomBytes(12).toString('hex');

export const clientCallId = (handle: string, index: number): string => `call_${handle}_${index}`;

/** The handle in an id; undefined for an id that the platform did not give. */
export const handleIn = (callId: string): string | undefined => CALL_ID.exec(callId)?.[1];
