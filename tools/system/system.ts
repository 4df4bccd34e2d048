import { z } from 'zod';

import { countPending } from '../../src/agentic/propose/action.ts';
import { systemHealthBeside } from '../../src/data/dashboard/system-health.ts';
import { defineTool, READS } from '../shape/define.ts';

const Fleet = z.object({ total: z.int(), online: z.int() });

export const systemTools = [
  defineTool({
    name: 'getSystemHealth',
    title: 'System health',
    domain: 'System',
    listed: 'direct',
    description: 'Returns whether database and bus work, what is online, how many proposals wait.',
    permission: 'svc-center-data:dashboard:get',
    scope: 'svc:read',
    input: z.strictObject({}),
    output: z.object({
      database: z.string().describe('up, down'),
      bus: z.string().describe('up, unknown'),
      drivers: Fleet.nullable(),
      devices: Fleet.nullable(),
      openActions: z.int().nullable().describe('Counted up to 100'),
    }),
    annotations: READS,
    async run(app, caller) {
      const { health, beside } = await systemHealthBeside(app, caller, (q) =>
        countPending(q, caller.tenantId, app.clock.now()),
      );
      const { infra, drivers, devices } = health;
      return { database: infra.database, bus: infra.mq, drivers, devices, openActions: beside };
    },
  }),
];
