import type { Request, RequestHandler } from 'express';

import type { App } from '../../../kernel/app/app.ts';
import { AppError } from '../../../kernel/errors.ts';
import { isServedHost } from '../../../kernel/request/served-host.ts';

/** Refuses (421, RFC 9110 15.5.20) a Host that is no name of the platform, unless a gateway `vouches` for the request. */
export const servedHost =
  (
    { config }: Pick<App, 'config'>,
    vouches: (req: Request) => boolean = () => false,
  ): RequestHandler =>
  (req, _res, next) => {
    if (!isServedHost(config, req.headers.host) && !vouches(req))
      throw new AppError(
        421,
        'R421',
        'This host name is not served here: SVC_BASE_URL or SVC_HOST_NAMES has to name it',
      );
    next();
  };
