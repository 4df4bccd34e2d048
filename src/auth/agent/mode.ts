import type { AgentMode } from '../../core/agent/mode.ts';
import { quoted } from '../../core/sentence/voice.ts';
import type { Queries } from '../../db/connect.ts';

/** Tenant id of the platform's switch. */
export const OF_PLATFORM = '0';

/** Characters of a reason. */
export const MAX_REASON = 200;

/** A switch that is not ON. */
export type AgentStop = {
  mode: Exclude<AgentMode, 'ON'>;
  /** Which switch it is. */
  by: 'platform' | 'tenant' | 'connection';
  /** In the words of the person that turned it; may be empty. */
  reason: string;
};

/** The stops of the platform and of a tenant. */
export async function stopsIn(q: Queries, tenantId: string): Promise<AgentStop[]> {
  const rows = await q
    .selectFrom('svc_agent_switch')
    .select(['tenantId', 'mode', 'reason'])
    .where('tenantId', 'in', [OF_PLATFORM, tenantId])
    .orderBy('tenantId')
    .execute();
  return rows.flatMap(({ tenantId: of, mode, reason }) =>
    mode === 'ON' ? [] : [{ mode, by: of === OF_PLATFORM ? 'platform' : 'tenant', reason }],
  );
}

/** The one that counts: OFF before READ_ONLY, and of equal ones the first; null: agents may do all. */
export const strictest = (stops: readonly AgentStop[]): AgentStop | null =>
  stops.find(({ mode }) => mode === 'OFF') ?? stops[0] ?? null;

const WHERE = {
  platform: 'on the whole platform',
  tenant: 'in this tenant',
  connection: 'for this connection',
};

/** A stop as a sentence without its end, for agents and for people. */
export function stopWords({ mode, by, reason }: AgentStop): string {
  const why = reason === '' ? '' : `: ${quoted(reason, MAX_REASON)}`;
  return mode === 'OFF'
    ? `Agents are switched off ${WHERE[by]}${why}`
    : `Agents only read ${WHERE[by]} now${why}`;
}
