import { breaks, type Mutation } from './mutation.ts';

/** The assistant, what is sealed and the settings, broken one statement of the specification at a time. */
export const agentic: readonly Mutation[] = [
  // Chat and tools
  breaks(
    'src/core/sentence/free-text.ts',
    ' || isOrder(text)',
    '',
    'api/tainted',
    'is an order in a short name',
  ),
  breaks(
    'src/agentic/chat/loop.ts',
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
    'denialOf(limited, tool) === null',
    "denialOf(limited, tool) !== 'scope'",
    'api/chat-time',
    'are those the user may use, and another one does not run',
  ),
  breaks(
    'src/agentic/chat/turn.ts',
    'replay(later, parked, { isReserved, hasTools: canCall })',
    'replay(later, parked, { isReserved: () => false, hasTools: canCall })',
    'api/chat-client-tools',
    'cannot say what a tool of the platform answered',
  ),
  breaks(
    'src/agentic/chat/request/tools.ts',
    'if (!conflict) return;',
    'return;',
    'api/chat-client-tools',
    'may not have a name of the platform',
  ),
  breaks(
    'src/agentic/chat/request/request.ts',
    'temperature: optional(z.number().min(0).max(2))',
    'temperature: optional(z.number().min(0).max(9))',
    'unit/agentic-chat',
    'is a 400 in the shape of OpenAI',
  ),
  breaks(
    'src/auth/connection/denial.ts',
    'caller.scopes?.includes(offer.scope) ?? true',
    'caller.scopes !== null',
    'api/mcp',
    'of a scope the token lacks are not listed',
  ),
  breaks(
    'src/auth/connection/denial.ts',
    '!allows(caller, offer.permission)',
    "offer.permission === '' && !allows(caller, '*')",
    'api/mcp-resource-rights',
    'needs its permission; without it there is no such resource',
  ),
  // Models and memory
  breaks(
    'src/agentic/provider/usable-models.ts',
    'if (models.length > 0) return { models, broken };',
    'if (models.length > 9) return { models, broken };',
    'api/model',
    "takes the tenant's own provider before the fallback",
  ),
  breaks(
    'src/agentic/provider/usable-models.ts',
    'Number(b.isDefault) - Number(a.isDefault)',
    'Number(a.isDefault) - Number(b.isDefault)',
    'api/model',
    'takes the model of that name, else the preferred one, else the default, else what else is enabled',
  ),
  breaks(
    'src/agentic/chat/past-turns.ts',
    'let left = max;',
    'let left = max * 10;',
    'e2e/chat-memory',
    'both bound what is fed, at turn boundaries',
  ),
  breaks(
    'src/db/schema/memory-schema.ts',
    '    if (enabled && !isThere) throw new ConfigError(MISSING);\n',
    '',
    'e2e/chat-memory',
    'never, as it is unless set: the start is refused where the table is missing',
  ),
  breaks(
    'src/agentic/attachment/file.ts',
    "open(part, 'wx', 0o600)",
    "open(part, 'wx', 0o644)",
    'api/attachment',
    'keeps a file in the folder of its tenant, readable by the platform alone',
  ),
  // Actions
  breaks(
    'src/agentic/action/status.ts',
    'stored.expireTime.getTime() <= now',
    'stored.expireTime.getTime() < now',
    'unit/agentic-action',
    'is expired from the very moment of its expiry',
  ),
  // What is sealed
  breaks(
    'src/core/secret/sealed.ts',
    '`${table}:${tenantId}:${id}`',
    '`${table}:${tenantId}:${id.length}`',
    'unit/sealed',
    'opens at its own place only',
  ),
  // Settings
  breaks(
    'src/core/environment.ts',
    'AGENTIC_FALLBACK_OPENAI_TEMPERATURE: z.coerce.number().min(0).max(2)',
    'AGENTIC_FALLBACK_OPENAI_TEMPERATURE: z.coerce.number().min(0).max(3)',
    'conformance/spec/limits',
    'a fallback temperature of',
  ),
  breaks(
    'src/core/environment.ts',
    'AGENTIC_MEMORY_MAX_MESSAGES: z.coerce.number().int().min(1).max(500).default(50)',
    'AGENTIC_MEMORY_MAX_MESSAGES: z.coerce.number().int().min(1).max(500).default(40)',
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
    'src/core/environment.ts',
    "`${path.join('.')}: ${message}`,",
    "`${path.join('.')}: ${message} ${given[String(path[0])] ?? ''}`,",
    'unit/config',
    'which the reason names and does not repeat',
  ),
  breaks(
    'src/core/environment.ts',
    '&& !known.has(name)',
    "&& known.has(name) && name === ''",
    'unit/config',
    'warns of variables of ours that nobody knows',
  ),
  breaks(
    'driver/lwm2m/driver.ts',
    "customCron: '0/5 * * * * ?'",
    "customCron: '0/10 * * * * ?'",
    'unit/driver-custom',
    'is every 5 s for LwM2M',
  ),
];
