import { breaks, type Mutation } from './mutation.ts';

/** The assistant, what is sealed and the settings, broken one statement of SPEC.md at a time. */
export const agentic: readonly Mutation[] = [
  // Chat and tools
  breaks(
    'src/agentic/chat/chat-loop.ts',
    'const MAX_ROUNDS = 8;',
    'const MAX_ROUNDS = 12;',
    'api/chat-loop',
    'stops after eight rounds',
  ),
  breaks(
    'src/agentic/chat/tool-call.ts',
    'if (!app.config.agentic.toolCalling) return [];',
    '',
    'api/chat-time',
    'are none, and none runs, when tool calling is switched off',
  ),
  breaks(
    'src/agentic/chat/tool-call.ts',
    'allows(caller, tool.permission) && ',
    '',
    'api/chat-time',
    'are those the user may use, and another one does not run',
  ),
  breaks(
    'src/agentic/chat/chat-request.ts',
    'temperature: optional(z.number().min(0).max(2))',
    'temperature: optional(z.number().min(0).max(9))',
    'unit/agentic-chat',
    'is a 400 in the shape of OpenAI',
  ),
  breaks(
    'src/mcp/rights.ts',
    'caller.scopes?.includes(offer.scope) ?? true',
    'caller.scopes !== null',
    'api/mcp',
    'of a scope the token lacks are not listed',
  ),
  // Actions
  breaks(
    'src/agentic/action/action-status.ts',
    'stored.expireTime.getTime() <= now',
    'stored.expireTime.getTime() < now',
    'unit/agentic-action',
    'is expired from the very moment of its expiry',
  ),
  breaks(
    'src/agentic/action/action-status.ts',
    "command === 'SUCCESS' ? 'EXECUTED' : 'FAILED'",
    "command === 'FAILED' ? 'FAILED' : 'EXECUTED'",
    'unit/agentic-action',
    'is told by its command',
  ),
  // What is sealed
  breaks(
    'src/core/sealed.ts',
    '`${table}:${tenantId}:${id}`',
    '`${table}:${tenantId}:${id.length}`',
    'unit/sealed',
    'opens at its own place only',
  ),
  // Settings
  breaks(
    'src/core/config.ts',
    'AGENTIC_FALLBACK_OPENAI_TEMPERATURE: z.coerce.number().min(0).max(2)',
    'AGENTIC_FALLBACK_OPENAI_TEMPERATURE: z.coerce.number().min(0).max(3)',
    'conformance/spec/limits',
    'a fallback temperature of',
  ),
  breaks(
    'src/core/config.ts',
    'AGENTIC_MEMORY_ENABLED: Switch.default(false)',
    'AGENTIC_MEMORY_ENABLED: Switch.default(true)',
    'conformance/spec/limits',
    'the settings have the defaults of the specification',
  ),
  breaks(
    'src/core/config.ts',
    'env.AGENTIC_HISTORY_WINDOW_SIZE ?? 30',
    'env.AGENTIC_HISTORY_WINDOW_SIZE ?? 20',
    'conformance/spec/limits',
    'the settings have the defaults of the specification',
  ),
  breaks(
    'src/core/config.ts',
    '${issue.message}`);',
    "${issue.message} ${given[String(issue.path[0])] ?? ''}`);",
    'unit/config',
    'which the reason names and does not repeat',
  ),
  breaks(
    'src/core/config.ts',
    '&& !VARIABLES.includes(name)',
    "&& VARIABLES.includes(name) && name === ''",
    'unit/config',
    'warns of variables of ours that nobody knows',
  ),
  breaks(
    'driver/lwm2m/driver.ts',
    "customCron: '0/5 * * * * ?'",
    "customCron: '0/10 * * * * ?'",
    'unit/driver-custom',
    'is every 5 s and empty for LwM2M',
  ),
];
