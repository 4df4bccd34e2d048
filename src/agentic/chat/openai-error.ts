import { z } from 'zod';

import { AppError } from '../../core/errors.ts';

/** Body of an error in OpenAI's shape. */
export const OpenAiFailure = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string().meta({ examples: ['invalid_request_error'] }),
      param: z.string().nullable(),
      code: z.string().nullable(),
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
    return shape(400, `${param ?? 'body'}: ${issue?.message ?? 'not valid'}`, 'R400', param);
  }
  if (!(error instanceof AppError)) return shape(500, 'Internal error', 'R500');
  const status = error.status === 409 || error.status < 400 ? 422 : error.status;
  const param = error.detail?.['param'];
  const shaped = shape(status, error.message, error.code, typeof param === 'string' ? param : null);
  const seconds = error.detail?.['retryAfterSeconds'];
  if (typeof seconds === 'number') shaped.headers['retry-after'] = String(seconds);
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

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
