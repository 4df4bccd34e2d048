import { usageWritten } from '../../../src/auth/agent/usage-store.ts';
import { mcpCallsWritten } from '../../../src/auth/connection/audit.ts';
import type { Call } from './call.ts';
import type { Site } from './site.ts';

/** What tool calls leave to be written, in a batch each. */
export function auditCalls({ agent, world }: Site): Call[] {
  const touch = () => agent.call('getCurrentTenantInfo');
  return [
    {
      name: 'audit batch of tool calls',
      touch,
      async prepare() {
        await touch();
        return () => mcpCallsWritten(world.app);
      },
    },
    {
      name: 'usage batch of tool calls',
      touch,
      async prepare() {
        await touch();
        await mcpCallsWritten(world.app);
        return () => usageWritten(world.app);
      },
    },
  ];
}
