/**
 * Two routes of one Express server in the platform's process that answer the same tenant from the database:
 * one behind the gateway's own authentication and authorization, one without.
 */
import { createServer } from 'node:http';

import express, { Router } from 'express';
import { z } from 'zod';

import { acrossTenants, inOneTrip } from '../../../src/db/tenant.ts';
import { identification } from '../../../src/gateway/middleware/authenticate.ts';
import { requestId } from '../../../src/gateway/middleware/request-id.ts';
import { securityHeaders } from '../../../src/gateway/middleware/security-headers.ts';
import { mount } from '../../../src/gateway/mount/mount.ts';
import { get } from '../../../src/kernel/app/route.ts';
import { ok } from '../../../src/kernel/envelope.ts';
import { measuredPlatform } from '../platform/measured.ts';
import { listen } from '../report.ts';

const { app, tokens } = await measuredPlatform('/api/v3', 1);

const { id: own } = await acrossTenants(app.db, 'doctor', (q) =>
  q.selectFrom('svc_tenant').select('id').orderBy('id').executeTakeFirstOrThrow(),
);
/** One trip, as of a call that reads: authentication compares the tenant's version in it. */
const answer = (tenantId: string): Promise<string> =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { tenantCode } = await q
      .selectFrom('svc_tenant')
      .select('tenantCode')
      .where('id', '=', tenantId)
      .executeTakeFirstOrThrow();
    return tenantCode;
  });

const ping = get(
  '/ping',
  {
    needs: 'device:list',
    scope: 'svc:read',
    risk: 'read',
    summary: 'Names the tenant',
    input: z.object({}),
    output: z.string(),
  },
  (_app, { tenantId }) => answer(tenantId),
);
const open = Router().get(ping.path, async (_request, response) => {
  response.json(ok(await answer(own), ping.code));
});
listen(
  createServer(
    express()
      .disable('x-powered-by')
      .disable('etag')
      .use(requestId, securityHeaders(app))
      .use('/open', open)
      .use('/closed', mount(app, 'manager', [ping], identification(app))),
  ),
  tokens,
);
