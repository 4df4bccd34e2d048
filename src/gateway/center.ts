import express, { type Express } from 'express';

import { ledgerWarnings } from '../alarm/ledger/loop.ts';
import { ADDRESS_HEADER, verifyAddress } from '../auth/login/client-address.ts';
import { oauthRouter } from '../auth/oauth/mount.ts';
import type { App } from '../kernel/app/app.ts';
import { NotFound } from '../kernel/errors.ts';
import type { Center } from '../kernel/process/layout.ts';
import { vouchedAddress } from './middleware/address/client-address.ts';
import { servedHost } from './middleware/address/served-host.ts';
import { measured } from './middleware/measured.ts';
import { onError } from './middleware/on-error.ts';
import { requestId } from './middleware/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { centers } from './mount/centers.ts';
import { chat } from './mount/chat.ts';
import { degraded } from './mount/degraded.ts';
import { health } from './mount/health.ts';
import { mount } from './mount/mount.ts';

/**
 * A center on a port of its own (docs/specification/service.md, Components): its table under the gateway's
 * prefix and at the root, where the gateway forwards to. Only the signed principal identifies a caller:
 * login headers are ignored, and a call without a principal is anonymous (docs/specification/trust.md 4).
 */
export function createCenter(app: App, center: Center, waitingFor: () => string[]): Express {
  const server = express()
    .disable('x-powered-by')
    .disable('etag')
    .use(measured(app, center), requestId, securityHeaders(app), vouchedAddress(app))
    .use(
      health(app, waitingFor, {
        warnings: () => ledgerWarnings(app),
        degraded: () => degraded(app),
      }),
    )
    .use(servedHost(app, (req) => verifyAddress(app, req.get(ADDRESS_HEADER)) !== null));
  const prefix = `/api/v3/${center}`;
  if (center === 'auth') server.use(oauthRouter(app));
  if (center === 'agentic') {
    const completions = chat(app);
    server.use(prefix, completions).use(completions);
  }
  const table = mount(app, center, centers[center]);
  return server
    .use(prefix, table)
    .use(table)
    .use(() => {
      throw new NotFound('This path');
    })
    .use(onError(app, center));
}
