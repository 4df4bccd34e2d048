import { turn } from '../../auth/agent/switch.ts';
import { DEFAULT_TENANT } from '../../auth/permission/platform.ts';
import { clientsFor } from '../../console/clients.ts';
import { acrossTenants, inTenant } from '../../db/tenant.ts';
import { type AGENT_WORDS, modeNamed } from '../../kernel/process/agent-mode.ts';
import { ConfigError } from '../../kernel/process/config.ts';
import type { Composition } from '../../start/composition.ts';

export type AgentsOptions = { tenant?: string; reason: string };

/**
 * `svc agents on|read-only|off`: turns the switch of the platform, or of a tenant, in the database; every process that
 * runs on it obeys with its next trip.
 */
export async function agentsCommand(
  { createApp, readSettings }: Composition,
  word: (typeof AGENT_WORDS)[number],
  { tenant, reason }: AgentsOptions,
): Promise<void> {
  const config = readSettings();
  const mode = modeNamed(word);
  // No message is sent: without the bus, an unreachable broker does not keep agents going.
  const app = await createApp({ ...config, bus: { ...config.bus, amqpUrl: null } });
  try {
    const code = tenant ?? DEFAULT_TENANT;
    const found = await acrossTenants(app.db, 'agents', (q) =>
      q.selectFrom('svc_tenant').select('id').where('tenantCode', '=', code).executeTakeFirst(),
    );
    if (!found) throw new ConfigError(`there is no tenant ${code}`);
    const person = {
      tenantId: found.id,
      principalId: '0',
      principalType: 'SYSTEM',
      name: 'command line',
    } as const;
    const of = tenant === undefined ? 'PLATFORM' : 'TENANT';
    await inTenant(app.db, found.id, (q) => turn(app, q, person, { of, mode, reason }));
    const where = tenant === undefined ? 'on the platform' : `in the tenant ${tenant}`;
    process.stdout.write(`Agents are ${word} ${where}.\n`);
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}

/** `svc connect`: how each client is connected to this platform. */
export function connectCommand(baseUrl: string): void {
  const url = `${baseUrl}/mcp`;
  const parts = clientsFor(url).map(
    ([client, where, text, withKey]) =>
      `${client} (${where})\n${text}\n${withKey === undefined ? '' : `with a key in SVC_MCP_KEY:\n${withKey}\n`}`,
  );
  process.stdout.write(
    `${parts.join('\n')}\nA client that can open a browser logs in by itself. Others send a key as bearer token: svc key --name NAME --audience mcp\n`,
  );
}
