/**
 * Two routes of one Express server in the platform's process that answer the same, without a query: one behind
 * the gateway's own authentication and authorization, one without.
 */
import { createServer } from 'node:http';

import express, { Router } from 'express';
import { z } from 'zod';

import { ok } from '../../../src/core/envelope.ts';
import { authenticate } from '../../../src/gateway/middleware/authenticate.ts';
import { requestId } from '../../../src/gateway/middleware/request-id.ts';
import { securityHeaders } from '../../../src/gateway/middleware/security-headers.ts';
import { mount } from '../../../src/gateway/mount.ts';
import { get } from '../../../src/route.ts';
import { measuredPlatform } from '../platform/measured.ts';
import { listen } from '../report.ts';

const { app, tokens } = await measuredPlatform('/api/v3', 1);

const ping = get(
  '/ping',
  {
    needs: 'device:list',
    scope: 'svc:read',
    risk: 'read',
    summary: 'Answers at once',
    input: z.object({}),
    output: z.string(),
  },
  async () => 'pong',
);
const open = Router().get(ping.path, async (_request, response) => {
  response.json(ok('pong', ping.code));
});
listen(
  createServer(
    express()
      .disable('x-powered-by')
      .disable('etag')
      .use(requestId, securityHeaders)
      .use('/open', open)
      .use('/closed', mount(app, 'manager', [ping], [authenticate(app)])),
  ),
  tokens,
);
