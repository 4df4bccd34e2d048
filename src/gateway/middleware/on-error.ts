import type { ErrorRequestHandler, Request } from 'express';
import { z } from 'zod';

import { openAiError } from '../../agentic/chat/answer/openai-error.ts';
import type { App } from '../../kernel/app/app.ts';
import { failure } from '../../kernel/envelope.ts';
import { AppError, BadRequest, NotFound } from '../../kernel/errors.ts';
import type { Center } from '../../kernel/process/layout.ts';

/** What OpenAI's clients ask for below the prefix, and all below `/v1`. */
const OF_OPENAI =
  /^\/(v1(\/.*)?|openai(\/.*)?|chat(\/.*)?|(models|responses|completions|embeddings|files|images|audio|moderations|conversations|batches|assistants|threads|vector_stores|uploads|fine_tuning|engines|realtime)(\/.*)?)$/i;

/** A path as it is below the prefix, which a center of its own may not have. */
const belowPrefix = (path: string): string =>
  path.replaceAll(/\/+/g, '/').replace(/^\/api\/v3\/agentic(?=\/)/i, '');

/** Whether errors of a path are answered in OpenAI's shape. */
const isOpenAiPath = (path: string): boolean => OF_OPENAI.test(belowPrefix(path));

/** Operations of the platform below the prefix, whose clients read the envelope, misspelt or not. */
const OF_PLATFORM =
  /^\/(action|approval|attachment|handover|manual|message|model|origin|provider|session|usage)\//i;
const AGENTIC = /^\/+api\/+v3\/+agentic(\/|$)/i;

/**
 * Maps every error to HTTP: the envelope, or OpenAI's error on the chat and model paths and for each path that is neither
 * there below the prefix nor beside an operation of the platform: clients of other vendors' endpoints read errors by that
 * shape. `center`: one on its own port.
 */
export function onError(app: App, center?: Center): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const known = toAppError(error);
    if (!known || known.status >= 500) {
      app.log.error(
        { requestId: res.locals['requestId'], path: req.path, error },
        'a request failed',
      );
    }
    // A response that has begun cannot change its status: Express ends the connection.
    if (res.headersSent) return next(error);
    const unknown = unknownUrl(known, req);
    const isAgentic = center === 'agentic' || AGENTIC.test(req.path);
    const isBelow = isAgentic && !OF_PLATFORM.test(belowPrefix(req.path));
    if (isOpenAiPath(req.path) || (unknown && isBelow)) {
      const { status, headers, body } = openAiError(unknown ?? known ?? error);
      return void res.status(status).set(headers).json(body);
    }
    const answer = known ?? new AppError(500, 'R500', 'Internal error');
    const retryAfter = answer.detail?.['retryAfterSeconds'];
    if (typeof retryAfter === 'number') res.setHeader('retry-after', Math.ceil(retryAfter));
    res.status(answer.status).json(failure(answer.code, answer.message, answer.detail));
  };
}

const NO_PATH = new NotFound('This path').message;

/** A path that is not there, in the words of OpenAI. */
function unknownUrl(error: AppError | null, { method, path }: Request): AppError | null {
  if (error?.status !== 404 || error.code !== 'R404' || error.message !== NO_PATH) return null;
  const asked = belowPrefix(path).slice(0, 200);
  return new AppError(404, 'unknown_url', `Unknown request URL: ${method} ${asked}`);
}

function toAppError(error: unknown): AppError | null {
  if (error instanceof AppError) return error;
  if (error instanceof z.ZodError) return badInput(error);
  // body-parser and the router set a 4xx status on errors of the caller.
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 0;
  if (status === 413) return new AppError(413, 'R413', 'The body is too large');
  if (status === 415)
    return new AppError(415, 'R415', 'The content type or charset is not supported');
  return status >= 400 && status < 500 ? new BadRequest('The request cannot be read') : null;
}

/** The reason by field; the message has the first one. */
function badInput(error: z.ZodError): BadRequest {
  const fields: Record<string, string> = {};
  for (const issue of error.issues.slice(0, 20))
    fields[issue.path.join('.') || 'body'] ??= issue.message;
  const [first] = Object.entries(fields);
  return new BadRequest(first ? `${first[0]}: ${first[1]}` : 'The input is not valid', { fields });
}
