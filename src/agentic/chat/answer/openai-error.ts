import { z } from 'zod';

import { AppError } from '../../../kernel/errors.ts';

/** Body of an error in OpenAI's shape. */
export const OpenAiFailure = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string().meta({ examples: ['invalid_request_error'] }),
      param: z.string().nullable(),
      code: z
        .string()
        .nullable()
        .meta({ examples: ['rate_limit_exceeded'] }),
      retry_after: z.number().optional().describe('Seconds; also where no header can say it'),
    }),
  })
  .meta({ id: 'OpenAiFailure' });

export type OpenAiError = {
  status: number;
  headers: Record<string, string>;
  body: z.output<typeof OpenAiFailure>;
};

/**
 * An error in OpenAI's shape. Never 409: OpenAI's SDKs would repeat the request, and a turn is not
 * repeatable. An unknown error shows no details to the caller.
 */
export function openAiError(error: unknown): OpenAiError {
  if (error instanceof z.ZodError) {
    const issue = error.issues[0];
    const param = issue?.path.join('.') || null;
    const message = `${param ?? 'body'}: ${issue?.message ?? 'not valid'}`;
    return shape(400, message, codeOf(400), param);
  }
  if (!(error instanceof AppError)) return shape(500, 'Internal error', codeOf(500));
  const status = error.status === 409 || error.status < 400 ? 422 : error.status;
  const param = error.detail?.['param'];
  // A code of the envelope says no more than the status; any other is meant for this client.
  const code = /^R\d+$/.test(error.code) ? codeOf(status) : error.code;
  const shaped = shape(status, error.message, code, typeof param === 'string' ? param : null);
  const seconds = error.detail?.['retryAfterSeconds'];
  if (typeof seconds === 'number') {
    shaped.headers['retry-after'] = String(Math.ceil(seconds));
    shaped.body.error.retry_after = seconds;
  }
  return shaped;
}

function shape(
  status: number,
  message: string,
  code: string,
  param: string | null = null,
): OpenAiError {
  return { status, headers: {}, body: { error: { message, type: typeOf(status), param, code } } };
}

const CODES: Record<number, string> = {
  401: 'invalid_api_key',
  403: 'insufficient_permissions',
  404: 'not_found',
  413: 'request_too_large',
  429: 'rate_limit_exceeded',
  503: 'service_unavailable',
};

/** In OpenAI's words, which its clients compare with. */
const codeOf = (status: number): string =>
  CODES[status] ?? (status < 500 ? 'invalid_value' : 'server_error');

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
