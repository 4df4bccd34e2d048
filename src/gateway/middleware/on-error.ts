import type { ErrorRequestHandler } from 'express';
import { z } from 'zod';

import { openAiError } from '../../agentic/chat/answer/openai-error.ts';
import type { App } from '../../kernel/app/app.ts';
import { failure } from '../../kernel/envelope.ts';
import { AppError, BadRequest } from '../../kernel/errors.ts';

/** Whether errors of a path are answered in OpenAI's shape; with or without the prefix. */
const isOpenAiPath = (path: string): boolean =>
  /^(\/api\/v3\/agentic)?(\/v1)?\/(chat\/completions|chat\/stream\/[^/]+|models(\/[^/]+)?|responses(\/[^/]+)?)\/?$/i.test(
    path,
  );

/** Maps every error to HTTP: the envelope, or OpenAI's error on the chat and model paths. */
export function onError(app: App): ErrorRequestHandler {
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
    if (isOpenAiPath(req.path)) {
      const { status, headers, body } = openAiError(known ?? error);
      return void res.status(status).set(headers).json(body);
    }
    const answer = known ?? new AppError(500, 'R500', 'Internal error');
    const retryAfter = answer.detail?.['retryAfterSeconds'];
    if (typeof retryAfter === 'number') res.setHeader('retry-after', Math.ceil(retryAfter));
    res.status(answer.status).json(failure(answer.code, answer.message, answer.detail));
  };
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
