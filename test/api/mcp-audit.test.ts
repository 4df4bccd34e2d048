import { expect, it } from 'vitest';
import { z } from 'zod';

import { programFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { startWorld } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';

const Rows = z.array(z.looseObject({ toolId: z.string(), status: z.string() }));

it('a call is on record although the platform stops right after it', async () => {
  const database = await freshDatabase();
  const before = await startWorld({ database });
  const { token, principalId } = await programFor(before.admin, { scope: 'svc:read' });
  const client = await Object.values(clients)[0]?.(before.base, token);
  await client?.call('searchDevices');
  await client?.read('svc://alarm/active');
  await client?.close();
  await before.halt();
  const after = await startWorld({ database });
  try {
    const rows = Rows.parse(await after.admin.data('/api/v3/auth/mcp/audit/list', { principalId }));
    expect(rows).toMatchObject([
      { toolId: 'svc://alarm/active', status: 'SUCCESS' },
      { toolId: 'searchDevices', status: 'SUCCESS' },
    ]);
  } finally {
    await after.stop();
  }
});
