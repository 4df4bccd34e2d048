import { z } from 'zod';

import { PROXY_FORM, proxyIn } from '../egress/proxy-address.ts';
import { sinkEntry } from '../egress/sink.ts';
import { mailAddress } from '../input/mail-address.ts';
import { HostNames } from '../request/served-host.ts';
import { TrustedProxies } from '../request/trusted-proxies.ts';
import { limitsLike, OF_CONNECTION, OF_PRINCIPAL } from './agent-budget.ts';
import { AGENT_WORDS } from './agent-mode.ts';
import { addressesOf } from './hosts.ts';
import { Port, ServiceEnvironment } from './layout.ts';

const Switch = z
  .enum(['on', 'off', 'true', 'false'])
  .transform((text) => text === 'on' || text === 'true');

const Calls = z.coerce.number().int().min(0).max(1_000_000_000);

const ALLOW_FORM =
  'must be host:port, or provider:, webhook:, sms:, mqtt:, http: or client: before it';
const isHostPort = (text: string): boolean =>
  /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/i.test(text) && URL.canParse(`http://${text}`);
const EgressAllow = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z.array(z.string().refine((text) => isHostPort(sinkEntry(text).hostPort), ALLOW_FORM)).max(64),
  );

/** Origins as browsers write them, without a path. */
const Origins = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z
      .array(
        z
          .string()
          .refine(
            (text) => /^https?:\/\//.test(text) && URL.parse(text)?.origin === text,
            'must be an origin, such as https://app.example',
          ),
      )
      .max(64),
  );

/** Hosts whose documents describe OAuth clients; `*` for every host, `none` for no host. */
const ClientHosts = z
  .string()
  .transform((text) => (text === 'none' ? [] : text.split(',').map((part) => part.trim())))
  .pipe(
    z
      .array(
        z.string().regex(/^(\*|[a-z0-9.-]+(:\d{1,5})?)$/, 'must be host, host:port, * or none'),
      )
      .max(64),
  );

const SmtpUrl = z
  .url({ protocol: /^smtps?$/ })
  .refine(
    (url) => [null, 'required', 'off'].includes(URL.parse(url)?.searchParams.get('tls') ?? null),
    'may say of tls only required or off',
  );

/** The variables of the platform; the tables of docs/operations.md list the same. */
export const Environment = z.object({
  SVC_ENV: z.enum(['dev', 'test', 'pre', 'pro']).optional(),
  NODE_ENV: z.string().optional(),
  SVC_HOST: z.string().min(1).default('127.0.0.1'),
  SVC_PORT: Port.optional(),
  DC3_GATEWAY_PORT: Port.optional(),
  SVC_TRUSTED_PROXIES: TrustedProxies.default([]),
  SVC_HOST_NAMES: HostNames.default([]),
  SVC_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  SVC_DATA_DIR: z.string().min(1).default('data'),
  SVC_DISK_RESERVE_MB: z.coerce.number().int().min(0).max(100_000_000).default(256),
  SVC_AUDIT_HEAD: z.string().min(1).optional(),
  DATABASE_URL: z
    .string()
    .refine(
      (text) => addressesOf(text)?.every((address) => /^postgres(ql)?:/.test(address)) ?? false,
      'must be postgres://user:password@host:5432/database; further hosts as one:5432,other:5432',
    )
    .optional(),
  AMQP_URL: z
    .string()
    .refine(
      (text) => addressesOf(text)?.every((address) => /^amqps?:/.test(address)) ?? false,
      'must be amqp://user:password@host:5672 (or amqps://); further hosts as one:5672,other:5672',
    )
    .optional(),
  SVC_BUS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9][\w-]{0,62}$/)
    .default('svc'),
  ...ServiceEnvironment.shape,
  SVC_METRICS_PORT: Port.optional(),
  SVC_METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  SVC_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{32,1024}$/, 'must be 32 or more characters of printable ASCII')
    .optional(),
  SVC_HEARTBEAT_URL: z.url({ protocol: /^https?$/ }).optional(),
  SVC_SECRET_KEY: z.string().min(32, 'needs at least 32 characters').optional(),
  AUTH_HMAC_SECRET: z.string().optional(),
  SVC_AUTH_HMAC_SECRET: z.string().optional(),
  SVC_ADMIN_LOGIN: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9\-_#@/.|]{1,31}$/)
    .default('admin'),
  SVC_ADMIN_PASSWORD: z.string().min(8).max(1024).optional(),
  SVC_PASSWORD_EXPIRE_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
  SVC_AGENTS: z.enum(AGENT_WORDS).default('on'),
  SVC_AGENT_FIRMWARE_BY_URI: Switch.default(false),
  SVC_AGENT_CONNECTION_BUDGET: limitsLike(OF_CONNECTION),
  SVC_AGENT_PRINCIPAL_BUDGET: limitsLike(OF_PRINCIPAL),
  SVC_HISTORY_CLOSE_HOURS: z.coerce.number().int().min(0).max(8_760).default(2),
  SVC_KEY_CALLS: Calls.default(6_000),
  SVC_TENANT_CALLS: Calls.default(24_000),
  SVC_AGENT_REPEATS: z.coerce.number().int().min(1).max(1_000_000).default(20),
  SVC_DEMO: Switch.optional(),
  SVC_SWAGGER: Switch.optional(),
  SVC_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  SVC_EGRESS_ALLOW: EgressAllow.default([]),
  SVC_MCP_ORIGINS: Origins.default([]),
  SVC_OAUTH_CLIENT_HOSTS: ClientHosts.default(['claude.ai', 'chatgpt.com', 'vscode.dev']),
  SVC_SMTP_URL: SmtpUrl.optional(),
  SVC_MAIL_FROM: z
    .string()
    .refine(
      (text) => mailAddress(text) !== null,
      'must be a mail address, such as Plant <alarms@plant.example>',
    )
    .optional(),
  AGENTIC_TOOL_CALLING_ENABLED: Switch.default(true),
  SVC_AGENTIC_HISTORY_WINDOW_SIZE: z.coerce.number().int().min(1).max(200).optional(),
  AGENTIC_HISTORY_WINDOW_SIZE: z.coerce.number().int().min(1).max(200).optional(),
  AGENTIC_MEMORY_ENABLED: Switch.default(false),
  AGENTIC_MEMORY_MAX_MESSAGES: z.coerce.number().int().min(1).max(500).default(50),
  AGENTIC_MEMORY_SCHEMA_INIT: z.enum(['always', 'never', 'create_if_not_exists']).default('never'),
  AGENTIC_ATTACHMENT_STORAGE_PATH: z.string().min(1).optional(),
  AGENTIC_RECORD: z.string().min(1).optional(),
  AGENTIC_FALLBACK_OPENAI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.openai.com/v1'),
  // Sent in a header, where other characters would fail every request.
  AGENTIC_FALLBACK_OPENAI_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .default(''),
  AGENTIC_FALLBACK_OPENAI_PROXY: z
    .string()
    .refine((text) => proxyIn(text) !== null, PROXY_FORM)
    .transform(proxyIn)
    .optional(),
  AGENTIC_FALLBACK_OPENAI_MODEL: z.string().min(1).default('gpt-4o-mini'),
  AGENTIC_FALLBACK_OPENAI_IDLE_MS: z.coerce.number().int().min(100).max(600_000).optional(),
  AGENTIC_FALLBACK_OPENAI_TEMPERATURE: z.coerce.number().min(0).max(2).default(0.7),
  AGENTIC_FALLBACK_OPENAI_MAX_TOKENS: z.coerce.number().int().min(1).max(1_000_000).default(2048),
  SVC_CRASH_AT: z
    .string()
    .regex(/^[a-z-]+(:[1-9]\d{0,4})?$/, 'must be a name, or name:count')
    .optional(),
});

/** The names of the platform's variables, without those of the drivers. */
export const PLATFORM_VARIABLES: readonly string[] = Object.keys(Environment.shape);

/** The variables that are set, as text. */
type Given = Record<string, string | undefined>;

/** The variables of the drivers, and what is unsafe about some of their values, a sentence each. */
export type DriverVariables<S extends z.ZodObject> = {
  schema: S;
  unsafe?(env: z.output<S>, services: ReadonlySet<string>): string[];
};

/** The valid variables, and a reason by name for each invalid one. */
export function parse<S extends z.ZodObject>(
  schema: S,
  given: Given,
): { env: z.output<S>; wrong: Map<string, string> } {
  const parsed = schema.safeParse(given);
  if (parsed.success) return { env: parsed.data, wrong: new Map() };
  const wrong = new Map(
    parsed.error.issues.map(({ path, message }) => [
      `${path[0]?.toString()}`,
      `${path.join('.')}: ${message}`,
    ]),
  );
  const rest = Object.entries(given).filter(([name]) => !wrong.has(name));
  return { env: schema.parse(Object.fromEntries(rest)), wrong };
}

/** Settings that are probably mistakes but do not stop a start; names only, never a value. */
export function warningsOf(given: Given, { schema }: { schema: z.ZodObject }): string[] {
  const known = new Set([...PLATFORM_VARIABLES, ...Object.keys(schema.shape)]);
  const prefixes = new Set(['SVC', 'AGENTIC', ...Object.keys(schema.shape).map(prefixOf)]);
  // Not refused: container platforms set variables of their own, named after services.
  const unknown = Object.keys(given)
    .filter((name) => prefixes.has(prefixOf(name)) && !known.has(name))
    .toSorted();
  return unknown.slice(0, 50).map((name) => `there is no setting ${name}: is it misspelt?`);
}

/** `LWM2M` of `LWM2M_PORT`. */
const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf('_')));
