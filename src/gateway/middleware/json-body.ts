import express, { type RequestHandler } from 'express';

import { AppError } from '../../core/errors.ts';
import { isRawBody } from './raw-body.ts';

export const JSON_BODY = '256kb';

/** A body of another type would reach the routes as an absent body. */
const jsonOnly: RequestHandler = (req, _res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined ||
    Number(req.headers['content-length'] ?? 0) > 0;
  if (hasBody && req.body === undefined && !isRawBody(req)) {
    throw new AppError(415, 'R415', 'The body must be application/json');
  }
  next();
};

/** Reads a JSON body of at most 256 kB; 415 for another type, except imports and uploads. */
export const jsonBody: RequestHandler[] = [express.json({ limit: JSON_BODY }), jsonOnly];
