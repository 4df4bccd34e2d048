import type { RequestHandler } from 'express';

import { ADDRESS_HEADER, signAddress, verifyAddress } from '../../../auth/login/client-address.ts';
import { sourceAt } from '../../../auth/oauth/store/body.ts';
import type { App } from '../../../kernel/app/app.ts';
import { sourceOf } from '../../../kernel/request/source-address.ts';

/** At the gateway: the socket's address, or what a trusted proxy forwards (`SVC_TRUSTED_PROXIES`). */
export const seenAddress: RequestHandler = (req, res, next) => {
  res.locals['source'] = sourceOf(req.ip);
  next();
};

/** In a center of its own: the source the gateway signed; else the socket's address. */
export const vouchedAddress =
  (app: App): RequestHandler =>
  (req, res, next) => {
    res.locals['source'] =
      verifyAddress(app, req.get(ADDRESS_HEADER)) ?? sourceOf(req.socket.remoteAddress);
    next();
  };

/** Before forwarding: replaces a header of that name in the request. */
export const vouchForAddress =
  (app: App): RequestHandler =>
  (req, res, next) => {
    req.headers[ADDRESS_HEADER] = signAddress(app, sourceAt(res));
    next();
  };
