import { randomUUID } from 'node:crypto';

import type { RequestHandler } from 'express';

/** Returns the caller's `X-Request-Id` if it is well-formed, else a new one. */
export const requestId: RequestHandler = (req, res, next) => {
  const given = req.get('x-request-id');
  const id = given && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
  res.locals['requestId'] = id;
  res.setHeader('x-request-id', id);
  next();
};
