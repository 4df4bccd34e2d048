import { z } from 'zod';

import * as tenant from '../src/auth/people/tenant.ts';
import { inZone } from '../src/kernel/sentence/time-zone.ts';
import { defineTool, READS } from './shape/define.ts';
import { Visible } from './shape/text.ts';

export const tenantTools = [
  defineTool({
    name: 'getCurrentTenantInfo',
    title: 'Current tenant',
    domain: 'Tenant',
    listed: 'direct',
    description:
      'Returns the tenant (plant) you work in, its time zone and the time there. All tools see only what belongs to it.',
    permission: 'svc-center-auth:tenant:get',
    scope: 'svc:read',
    input: z.strictObject({}),
    output: z.object({
      tenantId: z.string(),
      tenantName: Visible(),
      tenantCode: Visible(),
      timezone: z.string(),
      now: z.string(),
    }),
    annotations: READS,
    async run(app, caller) {
      const { tenantName, tenantCode, timezone } = await tenant.own(app, caller, {});
      const now = inZone(app.clock.now(), timezone);
      return { tenantId: caller.tenantId, tenantName, tenantCode, timezone, now };
    },
  }),
];
