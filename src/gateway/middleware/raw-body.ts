import { raw, type Request, type RequestHandler, text } from 'express';

import { AppError, BadRequest } from '../../core/errors.ts';
import { readFilePart } from '../../core/input/multipart.ts';
import type { Route } from '../../route.ts';
import { concurrencyLimit } from './concurrency-limit.ts';

/** The largest table that is taken (docs/specification/endpoints.md, Limits of bodies). */
const MAX_TABLE_BYTES = 20 * 1024 * 1024;
/**
 * 10 MB of file (docs/specification/endpoints.md, Limits of bodies) and what wraps it; how large a file may
 * be, its route says.
 */
const MAX_FORM_BYTES = 11 * 1024 * 1024;
/** Each holds its whole body in memory. */
export const MAX_FORMS_UNDER_WAY = 16;

const TABLE = 'text/csv';
const FORM = 'multipart/form-data';

type Kind = Pick<Route, 'csv' | 'file'>;

/** How many bytes a row takes whose body is not JSON; null for the others. */
export const rawBodyLimit = ({ csv, file }: Kind): number | null =>
  file ? MAX_FORM_BYTES : csv === 'body' ? MAX_TABLE_BYTES : null;

/** Whether a request's body is left to its row, which reads it once it is known who sends it. */
export const isRawBody = (req: Request): boolean =>
  (req.path.endsWith('/import') && req.is(TABLE) === TABLE) ||
  (req.path.endsWith('/upload') && req.is(FORM) === FORM);

/** Reads the body of a row that takes another than JSON; nothing for the others. */
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
