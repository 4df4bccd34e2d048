import type { Queries } from '../../db/connect.ts';
import type { App, Tool } from '../../kernel/app/app.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { type AgentStop, stopsIn, stopWords, strictest } from '../permission/mode.ts';

/** Of this process, from its environment; it counts as the platform's. */
export const stopOfProcess = ({ config }: Pick<App, 'config'>): AgentStop[] =>
  config.agents === 'ON' ? [] : [{ mode: config.agents, by: 'platform', reason: '' }];

type Stoppable = { connection?: { stop: AgentStop | null } };

/** Throws Forbidden for a tool that leads to a change of a device while its caller may only read. */
export function demandWritable({ connection }: Stoppable, { annotations }: Tool): void {
  const stop = connection?.stop;
  if (!stop || !annotations.destructiveHint) return;
  throw new Forbidden(
    `${stopWords(stop)}. Nothing was proposed; an administrator can switch it back. Reading goes on.`,
  );
}

/** Of an agent that proposed something: principal and client. */
type Proposer = { tenantId: string; principalId: string; clientId: string };

/**
 * Why nothing that an agent proposed is sent to a device now, from the switches as they are in this moment; null when
 * it may be.
 */
export async function stopOf(app: App, q: Queries, proposer: Proposer): Promise<AgentStop | null> {
  const [stops, connection] = await Promise.all([
    stopsIn(q, proposer.tenantId, proposer.principalId),
    q
      .selectFrom('svc_mcp_connection')
      .select('id')
      .where('tenantId', '=', proposer.tenantId)
      .where('principalId', '=', proposer.principalId)
      .where('clientId', '=', proposer.clientId)
      .where('readOnlyFlag', '=', 1)
      // Only active ones count, as for the tools of the client.
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .where((row) =>
        row.or([row('expireTime', 'is', null), row('expireTime', '>', new Date(app.clock.now()))]),
      )
      .limit(1)
      .executeTakeFirst(),
  ]);
  const ofConnection: AgentStop[] = connection ? [READ_ONLY_CONNECTION] : [];
  return strictest([...stopOfProcess(app), ...stops, ...ofConnection]);
}

export const READ_ONLY_CONNECTION: AgentStop = { mode: 'READ_ONLY', by: 'connection', reason: '' };
