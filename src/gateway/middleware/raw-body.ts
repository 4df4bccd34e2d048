import { raw, type Request, type RequestHandler, text } from 'express';

import { AppError, BadRequest } from '../../core/errors.ts';
import { readFilePart } from '../../core/input/multipart.ts';
import type { Route } from '../../route.ts';
import { concurrencyLimit } from './concurrency-limit.ts';

/** Largest accepted table (docs/specification/endpoints.md, Limits of bodies). */
const MAX_TABLE_BYTES = 20 * 1024 * 1024;
/**
 * 10 MB of file (docs/specification/endpoints.md, Limits of bodies) plus the multipart framing; the route
 * limits the file itself.
 */
const MAX_FORM_BYTES = 11 * 1024 * 1024;
/** Concurrent uploads; each holds its whole body in memory. */
export const MAX_FORMS_UNDER_WAY = 16;

const TABLE = 'text/csv';
const FORM = 'multipart/form-data';

type Kind = Pick<Route, 'csv' | 'file'>;

/** Maximum bytes of a route with a body other than JSON; null for all other routes. */
export const rawBodyLimit = ({ csv, file }: Kind): number | null =>
  file ? MAX_FORM_BYTES : csv === 'body' ? MAX_TABLE_BYTES : null;

/** Whether the route itself reads the body, after authentication. */
export const isRawBody = (req: Request): boolean =>
  (/\/import(\/|$)/.test(req.path) && req.is(TABLE) === TABLE) ||
  (req.path.endsWith('/upload') && req.is(FORM) === FORM);

/** Reads the body of a route with another type than JSON; empty for all other routes. */
export function rawBody(route: Kind): RequestHandler[] {
  if (route.file)
    return [
      concurrencyLimit(MAX_FORMS_UNDER_WAY, 'uploads'),
      raw({ type: FORM, limit: MAX_FORM_BYTES }),
      fileOf,
    ];
  if (route.csv === 'body') return [text({ type: TABLE, limit: MAX_TABLE_BYTES })];
  return [];
}

const fileOf: RequestHandler = (req, _res, next) => {
  const contentType = req.get('content-type') ?? '';
  if (!contentType.toLowerCase().startsWith(FORM))
    throw new AppError(415, 'R415', `The body must be ${FORM}`);
  if (!Buffer.isBuffer(req.body)) throw new BadRequest('The body is empty');
  req.body = { file: readFilePart(contentType, req.body, 'file') };
  next();
};
