import { z } from 'zod';

import * as tenant from '../src/auth/people/tenant.ts';
import { defineTool, READS } from './define.ts';
import { Shown } from './shape/text.ts';

export const tenantTools = [
  defineTool({
    name: 'getCurrentTenantInfo',
    title: 'Current tenant',
    domain: 'Tenant',
    description: 'Returns the tenant you work in. All other tools see only what belongs to it.',
    permission: 'svc-center-auth:tenant:get',
    scope: 'svc:read',
    input: z.strictObject({}),
    output: z.object({ tenantId: z.string(), tenantName: Shown(), tenantCode: Shown() }),
    annotations: READS,
    async run(app, caller) {
      const { tenantName, tenantCode } = await tenant.own(app, caller, {});
      return { tenantId: caller.tenantId, tenantName, tenantCode };
    },
  }),
];
