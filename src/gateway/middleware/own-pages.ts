import type { Request, RequestHandler } from 'express';

import { addressAsked } from '../../auth/permission/audience.ts';
import type { App } from '../../kernel/app/app.ts';
import { AppError, Forbidden } from '../../kernel/errors.ts';

/** Whether no page of another site sent the request, as far as the browser says; programs say nothing. */
export function isFromOwnPage(app: App, req: Request): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin') return false;
  const origin = req.get('origin');
  if (origin === undefined) return true;
  return origin === new URL(addressAsked(app, req)).origin || hostOf(origin) === req.headers.host;
}

/**
 * Keeps other sites from logging their visitors in or out: their pages are refused (403), and so is every type of body
 * that a form can send (415).
 */
export const ownPagesOnly =
  (app: App): RequestHandler =>
  (req, _res, next) => {
    if (!isFromOwnPage(app, req)) throw new Forbidden('A page of another site sent this');
    const type = req.get('content-type') ?? '';
    if (req.method === 'POST' && !/^application\/json\s*(;|$)/i.test(type))
      throw new AppError(415, 'R415', 'The body must be application/json');
    next();
  };

const hostOf = (origin: string): string | null =>
  URL.canParse(origin) ? new URL(origin).host : null;
