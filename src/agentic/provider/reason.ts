import { allows } from '../../auth/permission/permission.ts';
import type { Caller } from '../../kernel/app/app.ts';
import { AppError } from '../../kernel/errors.ts';
import { refusalOf } from './retry.ts';

const MAX_REASON = 300;

/** What the vendor said in place of an answer, in one short line without control characters; '' when it said nothing. */
export function vendorReason(error: unknown): string {
  const refusal = refusalOf(error);
  const cause = error instanceof AppError ? error.cause : error;
  const text = refusal ? `HTTP ${refusal.status}: ${wordsIn(refusal.text)}` : messageOf(cause);
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON)
    .toWellFormed();
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : '');

/** The message inside an error of either dialect, else the whole text. */
function wordsIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = field(body, 'error') ?? body;
    const message = field(error, 'message');
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

/** To be added to an error of a model: the vendor's words, for those that may change the provider; '' for others. */
export function reasonFor(caller: Caller, error: unknown): string {
  if (!refusalOf(error) || !allows(caller, 'svc-center-agentic:provider:update')) return '';
  return `; the provider says: ${vendorReason(error)}`;
}
