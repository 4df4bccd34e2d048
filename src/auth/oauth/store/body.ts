import { parse } from 'node:querystring';

import type { Request, Response } from 'express';

import type { App } from '../../../kernel/app/app.ts';
import { AppError } from '../../../kernel/errors.ts';
import { PUBLIC_BYTES, readBody, type Reading, readJson } from '../../../kernel/request/body.ts';
import { IncomingMessage } from '../../../kernel/request/http.ts';
import { sourceOf } from '../../../kernel/request/source-address.ts';

/** The source of the request, as the gateway or the center set it. */
export function sourceAt(response: Response): string {
  const source: unknown = response.locals['source'];
  return typeof source === 'string' ? source : sourceOf(undefined);
}

const MAX_FIELDS = 16;

/** Bodies of the authorization server come from anybody: they are small. */
const reading = (app: App, req: Request, res: Response): Reading => ({
  req,
  res,
  limit: PUBLIC_BYTES,
  sender: { source: sourceAt(res) },
  app,
});

/** The JSON of a request; undefined for none and for another type. */
export const jsonOf = async (app: App, req: Request, res: Response): Promise<unknown> =>
  req.is('application/json') ? readJson(reading(app, req, res)) : undefined;

/** The fields of a form; none for another type. */
export async function formOf(app: App, req: Request, res: Response): Promise<object> {
  if (!req.is('application/x-www-form-urlencoded')) return {};
  const text = (await readBody(reading(app, req, res))).toString();
  if (text.split('&').length > MAX_FIELDS)
    throw new AppError(413, 'R413', `The form has more than ${MAX_FIELDS} fields`);
  return parse(text);
}

/**
 * The request with its body read before, for a library that reads by itself and without a bound on slow senders; a form
 * as `prepare` makes it, which may throw what `refuse` answers.
 */
export async function withBody(
  app: App,
  req: Request,
  res: Response,
  prepare: (form: Buffer) => Buffer,
): Promise<InstanceType<typeof IncomingMessage>> {
  const isForm = req.is('application/x-www-form-urlencoded') !== false;
  const read = await readBody(reading(app, req, res));
  const bytes = isForm ? prepare(read) : read;
  const { method, url, rawHeaders } = req;
  const headers = { ...req.headers, 'content-length': String(bytes.length) };
  const copy = new IncomingMessage(req.socket);
  Object.assign(copy, { method, url, headers, rawHeaders, complete: true });
  copy.push(bytes);
  copy.push(null);
  return copy;
}

/**
 * Answers a request that is refused in the protocol's JSON and with its status (RFC 6749 5.2, RFC 7591 3.2.2), with the
 * code that `detail.error` names.
 */
export function refuse(res: Response, error: unknown, code = 'invalid_request'): void {
  if (!(error instanceof AppError)) throw error;
  const { status, message, detail } = error;
  const retryAfter = detail?.['retryAfterSeconds'];
  if (typeof retryAfter === 'number') res.set('Retry-After', String(retryAfter));
  res
    .status(status === 429 ? 429 : 400)
    .json({ error: detail?.['error'] ?? code, error_description: message });
}
