import { breaks, type Mutation } from './mutation.ts';

const SWITCH = 'api/agent-switch';

/** What stops agents: switches, budgets and the breaker. */
export const control: readonly Mutation[] = [
  breaks(
    'src/auth/agent/stop.ts',
    'if (!stop || !annotations.destructiveHint) return;',
    'if (!stop || annotations.destructiveHint) return;',
    SWITCH,
    'propose nothing, in words that name the switch',
  ),
  breaks(
    'src/auth/agent/mode.ts',
    "stops.find(({ mode }) => mode === 'OFF') ?? stops[0] ?? null",
    'stops[0] ?? null',
    SWITCH,
    'is turned by the platform tenant, and counts in every tenant',
  ),
  breaks(
    'src/auth/agent/mode.ts',
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
    'src/agentic/action/decision.ts',
    'if (stop === null) return;',
    'if (stop !== null) return;',
    SWITCH,
    'have nothing sent that they proposed before',
  ),
  breaks(
    'src/agentic/action/decision.ts',
    'reason ?? (stop && stopWords(stop))',
    'reason ?? (stop && null)',
    SWITCH,
    'have nothing sent that was confirmed a moment before',
  ),
];
