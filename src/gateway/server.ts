import express, { type Express } from 'express';

import { ledgerWarnings } from '../alarm/ledger/loop.ts';
import { oauthRouter } from '../auth/oauth/mount.ts';
import type { App } from '../kernel/app/app.ts';
import { NotFound } from '../kernel/errors.ts';
import { type Center, CENTERS } from '../kernel/process/layout.ts';
import { mcpRouter } from '../mcp/router.ts';
import { agentFiles } from './agent-files.ts';
import { consolePages } from './console.ts';
import { seenAddress } from './middleware/address/client-address.ts';
import { servedHost } from './middleware/address/served-host.ts';
import { watchProxies } from './middleware/address/strange-proxy.ts';
import { identification } from './middleware/authenticate.ts';
import { crossOrigin } from './middleware/cross-origin.ts';
import { measured } from './middleware/measured.ts';
import { onError } from './middleware/on-error.ts';
import { ownPagesOnly } from './middleware/own-pages.ts';
import { requestId } from './middleware/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { centerReadiness } from './mount/center-readiness.ts';
import { centers } from './mount/centers.ts';
import {
  chat,
  CHAT_PATHS,
  FILE_PATHS,
  MODEL_PATHS,
  RESPONSE_PATHS,
  STREAM_PATHS,
} from './mount/chat.ts';
import { degraded } from './mount/degraded.ts';
import { forwarded, forwardedOauth } from './mount/forward.ts';
import { health } from './mount/health.ts';
import { liveStream } from './mount/live.ts';
import { mount } from './mount/mount.ts';
import { STORED_ROUTES } from './mount/stored-chat.ts';
import { swagger } from './openapi/swagger.ts';
import { startPage } from './start-page.ts';

/**
 * The middleware of every request, in order. A center is mounted when it runs in this process, else
 * forwarded to; callers are authenticated here either way, on the shared database. No body is read here: each
 * route reads its own (src/kernel/request/body.ts), once its caller is known.
 */
export function createGateway(app: App, waitingFor: () => string[]): Express {
  const { services } = app.config;
  const identify = identification(app);
  /** Of a center that does not run here; none for the others. */
  const elsewhere = (center: Center): readonly string[] =>
    services.has(center) ? [] : app.config.centers[center].urls;
  const authUrls = elsewhere('auth');
  const remote = CENTERS.map((center) => ({ center, urls: elsewhere(center) })).filter(
    ({ urls }) => urls.length > 0,
  );
  const needs = remote.map(({ center, urls }) => centerReadiness(app.clock, center, urls));
  const proxies = watchProxies(app);
  const server = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('trust proxy', [...app.config.trustedProxies])
    .use(measured(app, 'gateway'), requestId, securityHeaders(app), seenAddress, proxies.watch)
    .use(
      health(app, waitingFor, {
        needs,
        warnings: () => [...proxies.warnings(), ...ledgerWarnings(app)],
        degraded: () => degraded(app),
      }),
    )
    .use(mcpRouter(app))
    .use(servedHost(app))
    .use(startPage(app))
    .use(consolePages(app))
    .use(agentFiles(app))
    .use(authUrls.length === 0 ? oauthRouter(app) : forwardedOauth(app, authUrls));
  server.use('/api/v3/auth/session', ownPagesOnly(app)).use(liveStream(app, identify));
  const openToPages = [
    ...CHAT_PATHS,
    ...STREAM_PATHS,
    ...MODEL_PATHS,
    ...RESPONSE_PATHS,
    ...FILE_PATHS,
    ...STORED_ROUTES.flatMap(({ paths }) => paths),
  ];
  server.use(
    openToPages.map((path) => `/api/v3/agentic${path}`),
    crossOrigin(app),
  );
  for (const { center, urls } of remote)
    server.use(`/api/v3/${center}`, forwarded(app, center, urls));
  if (services.has('agentic')) server.use('/api/v3/agentic', chat(app, identify));
  if (app.config.swagger) server.use(swagger(app));
  for (const center of CENTERS)
    if (services.has(center))
      server.use(`/api/v3/${center}`, mount(app, center, centers[center], identify));
  return server
    .use(() => {
      throw new NotFound('This path');
    })
    .use(onError(app));
}
