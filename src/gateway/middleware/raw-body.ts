import { raw, type Request, type RequestHandler, text } from 'express';

import { AppError, BadRequest } from '../../core/errors.ts';
import { readFilePart } from '../../core/input/multipart.ts';
import type { Route } from '../../route.ts';
import { concurrencyLimit } from './concurrency-limit.ts';

/** Largest accepted table (docs/specification/endpoints.md, Limits of bodies). */
const MAX_TABLE_BYTES = 20 * 1024 * 1024;
/** Of the multipart framing beside the file, which the route limits itself. */
const FRAMING_BYTES = 1024 * 1024;
/** Concurrent uploads; each holds its whole body in memory. */
export const MAX_FORMS_UNDER_WAY = 16;
const MAX_BYTES_UNDER_WAY = 160 * 1024 * 1024;

const TABLE = 'text/csv';
const FORM = 'multipart/form-data';

type Kind = Pick<Route, 'csv' | 'file'>;

/** Maximum bytes of a route with a body other than JSON; null for all other routes. */
export const rawBodyLimit = ({ csv, file }: Kind): number | null =>
  file ? file + FRAMING_BYTES : csv === 'body' ? MAX_TABLE_BYTES : null;

/** Whether the route itself reads the body, after authentication. */
export const isRawBody = (req: Request): boolean =>
  (/\/import(\/|$)/.test(req.path) && req.is(TABLE) === TABLE) ||
  (req.path.endsWith('/upload') && req.is(FORM) === FORM);

/** Reads the body of a route with another type than JSON; empty for all other routes. */
export function rawBody(route: Kind): RequestHandler[] {
  if (route.file)
    return [
      concurrencyLimit(atOnce(route.file), 'uploads'),
      raw({ type: FORM, limit: route.file + FRAMING_BYTES }),
      fileOf,
    ];
  if (route.csv === 'body') return [text({ type: TABLE, limit: MAX_TABLE_BYTES })];
  return [];
}

const atOnce = (maxBytes: number): number =>
  Math.min(MAX_FORMS_UNDER_WAY, Math.floor(MAX_BYTES_UNDER_WAY / maxBytes));

const fileOf: RequestHandler = (req, _res, next) => {
  const contentType = req.get('content-type') ?? '';
  if (!contentType.toLowerCase().startsWith(FORM))
    throw new AppError(415, 'R415', `The body must be ${FORM}`);
  if (!Buffer.isBuffer(req.body)) throw new BadRequest('The body is empty');
  req.body = { file: readFilePart(contentType, req.body, 'file') };
  next();
};
