import type { Queries } from '../../db/connect.ts';
import type { AgentMode } from '../../kernel/process/agent-mode.ts';
import { quoted } from '../../kernel/sentence/voice.ts';

/** Tenant id of the platform's switch. */
export const OF_PLATFORM = '0';

/** Characters of a reason. */
export const MAX_REASON = 200;

/** A switch that is not ON. */
export type AgentStop = {
  mode: Exclude<AgentMode, 'ON'>;
  /** Which switch it is. */
  by: 'platform' | 'tenant' | 'connection' | 'account';
  /** In the words of the person that turned it; may be empty. */
  reason: string;
};

/** The stops of the platform and of a tenant, and of one account of it. */
export async function stopsIn(
  q: Queries,
  tenantId: string,
  principalId?: string,
): Promise<AgentStop[]> {
  const [switches, hold] = await Promise.all([
    q
      .selectFrom('svc_agent_switch')
      .select(['tenantId', 'mode', 'reason'])
      .where('tenantId', 'in', [OF_PLATFORM, tenantId])
      .orderBy('tenantId')
      .execute(),
    principalId === undefined
      ? undefined
      : q
          .selectFrom('svc_agent_hold')
          .select('place')
          .where('tenantId', '=', tenantId)
          .where('principalId', '=', principalId)
          .where('heldFlag', '=', 1)
          .executeTakeFirst(),
  ]);
  const stops = switches.flatMap(({ tenantId: of, mode, reason }): AgentStop[] =>
    mode === 'ON' ? [] : [{ mode, by: of === OF_PLATFORM ? 'platform' : 'tenant', reason }],
  );
  const reason = `it asked for what only people may do (${hold?.place})`;
  return hold ? [...stops, { mode: 'READ_ONLY', by: 'account', reason }] : stops;
}

/** The one that counts: OFF before READ_ONLY, and of equal ones the first; null: agents may do all. */
export const strictest = (stops: readonly AgentStop[]): AgentStop | null =>
  stops.find(({ mode }) => mode === 'OFF') ?? stops[0] ?? null;

const WHERE = {
  platform: 'on the whole platform',
  tenant: 'in this tenant',
  connection: 'for this connection',
  account: 'for this account',
};

/** A stop as a sentence without its end, for agents and for people. */
export function stopWords({ mode, by, reason }: AgentStop): string {
  const why = reason === '' ? '' : `: ${quoted(reason, MAX_REASON)}`;
  return mode === 'OFF'
    ? `Agents are switched off ${WHERE[by]}${why}`
    : `Agents only read ${WHERE[by]} now${why}`;
}
