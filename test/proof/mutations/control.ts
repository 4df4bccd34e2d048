import { breaks, type Mutation } from './mutation.ts';

const SWITCH = 'api/agent-switch';
const BREAKER = 'api/agent-breaker';
const BUDGET = 'api/agent-budget';

/** What stops agents: switches, budgets and the breaker. */
export const control: readonly Mutation[] = [
  breaks(
    'src/auth/connection/stop.ts',
    'if (!stop || !annotations.destructiveHint) return;',
    'if (!stop || annotations.destructiveHint) return;',
    SWITCH,
    'propose nothing, in words that name the switch',
  ),
  breaks(
    'src/auth/permission/mode.ts',
    "stops.find(({ mode }) => mode === 'OFF') ?? stops[0] ?? null",
    'stops[0] ?? null',
    SWITCH,
    'is turned by the platform tenant, and counts in every tenant',
  ),
  breaks(
    'src/auth/permission/mode.ts',
    "where('tenantId', 'in', [OF_PLATFORM, tenantId])",
    "where('tenantId', 'in', [tenantId])",
    SWITCH,
    'is turned by the platform tenant, and counts in every tenant',
  ),
  breaks(
    'src/auth/agent/switch.ts',
    'await demandPlatform(q, caller);',
    'await Promise.resolve();',
    SWITCH,
    'is turned by the platform tenant, and counts in every tenant',
  ),
  breaks(
    'src/auth/connection/whitelist.ts',
    "if (stop?.mode === 'OFF')",
    'if (connection.ended !== null && stop)',
    SWITCH,
    'get nothing, in words that name the switch, and others go on',
  ),
  breaks(
    'src/agentic/decision/stop.ts',
    'if (stop === null) return;',
    'if (stop !== null) return;',
    SWITCH,
    'have nothing sent that they proposed before',
  ),
  breaks(
    'src/agentic/decision/commit.ts',
    'reason ?? stop ?? held',
    'reason ?? held',
    SWITCH,
    'have nothing sent that was confirmed a moment before',
  ),
  breaks(
    'src/auth/agent/budget.ts',
    'limit === null || !isAsked || total[budget] < limit',
    'limit === null || !isAsked || total[budget] <= limit',
    BUDGET,
    'ends its calls in words',
  ),
  breaks(
    'src/auth/agent/budget.ts',
    "...(scope === 'svc:read-device' && { deviceReads: 1 })",
    "...(scope === 'svc:read' && { deviceReads: 1 })",
    BUDGET,
    'counts reads from devices and proposals',
  ),
  breaks(
    'src/auth/agent/usage-store.ts',
    'calls = svc_agent_usage.calls + excluded.calls',
    'calls = excluded.calls',
    BUDGET,
    'share a budget',
  ),
  breaks(
    'src/auth/agent/usage.ts',
    'if (begin > now - HOUR_MS) for (const budget of BUDGETS)',
    'for (const budget of BUDGETS)',
    BUDGET,
    'is free again after an hour',
  ),
  breaks(
    'src/auth/agent/connection-budget.ts',
    '(wanted === null || wanted > most)',
    'wanted === null && most === 0',
    BUDGET,
    'can differ from the default',
  ),
  breaks(
    'src/start/services.ts',
    'parts.add({ stop: () => usageWritten(app) });',
    '',
    BUDGET,
    'takes nothing away from what was used',
  ),
  breaks(
    'src/auth/agent/breaker.ts',
    'before.times >= app.config.agentRepeats',
    'before.times > app.config.agentRepeats',
    BREAKER,
    'are not run for the rest of the minute',
  ),
  breaks(
    'src/auth/agent/breaker.ts',
    'last?.answer === answer',
    'last',
    BREAKER,
    'are counted anew with another answer',
  ),
  breaks(
    'src/auth/agent/breaker.ts',
    'now - repeat.sinceMs < WINDOW_MS',
    'now >= repeat.sinceMs',
    BREAKER,
    'are not run for the rest of the minute',
  ),
  breaks(
    'src/auth/connection/connection.ts',
    'if (known.enableFlag !== EnableFlag.ENABLE &&',
    'if (known.enableFlag === EnableFlag.ENABLE &&',
    'conformance/oauth-code',
    'ends when it is restored what was issued before',
  ),
  breaks(
    'src/auth/oauth/store/end-issued.ts',
    "row.and([row('kind', '=', 'ClientCredentials'), ofClient]),",
    '',
    'api/mcp-management',
    'says that it was revoked, and works again',
  ),
  breaks(
    'src/mcp/trace-context.ts',
    "return isZero(traceId) || isZero(parentId) ? '' : traceId;",
    'return traceId;',
    'api/mcp-waiting',
    'is left out where it is none',
  ),
];
