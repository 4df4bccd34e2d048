import { join, resolve } from 'node:path';

import { z } from 'zod';

import { allowedBySink, sinkEntry } from './egress/sink.ts';
import {
  RoleEnvironment,
  type ProcessLayout,
  processLayoutOf,
  splitProblems,
} from './process-roles.ts';
import { TrustedProxies } from './trusted-proxies.ts';

/** docs/specification/trust.md 5: the shipped default that pre and pro refuse. */
export const DEFAULT_HMAC_SECRET = 'svc-default-hmac-secret';

const Port = z.coerce.number().int().min(0).max(65_535);
const Switch = z
  .enum(['on', 'off', 'true', 'false'])
  .transform((text) => text === 'on' || text === 'true');

const ALLOW_FORM = 'must be host:port, or provider:, webhook: or sms: before it';
const isHostPort = (text: string): boolean =>
  /^(\[[0-9a-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/i.test(text) && URL.canParse(`http://${text}`);
const EgressAllow = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(
    z.array(z.string().refine((text) => isHostPort(sinkEntry(text).hostPort), ALLOW_FORM)).max(64),
  );

const SmtpUrl = z
  .url({ protocol: /^smtps?$/ })
  .refine(
    (url) => [null, 'required', 'off'].includes(URL.parse(url)?.searchParams.get('tls') ?? null),
    'may say of tls only required or off',
  );

/** Every environment variable, parsed once; the tables of docs/operations.md list the same. */
const Environment = z.object({
  SVC_ENV: z.enum(['dev', 'test', 'pre', 'pro']).optional(),
  NODE_ENV: z.string().optional(),
  SVC_HOST: z.string().min(1).default('127.0.0.1'),
  SVC_PORT: Port.optional(),
  DC3_GATEWAY_PORT: Port.optional(),
  SVC_TRUSTED_PROXIES: TrustedProxies.default([]),
  SVC_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  SVC_DATA_DIR: z.string().min(1).default('data'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'must be postgres://user:password@host:5432/database, with one host',
    })
    .optional(),
  AMQP_URL: z
    .url({
      protocol: /^amqps?$/,
      error: 'must be amqp://user:password@host:5672 (or amqps://), with one host',
    })
    .optional(),
  SVC_BUS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9][\w-]{0,62}$/)
    .default('svc'),
  ...RoleEnvironment.shape,
  SVC_SECRET_KEY: z.string().min(32, 'needs at least 32 characters').optional(),
  AUTH_HMAC_SECRET: z.string().optional(),
  SVC_AUTH_HMAC_SECRET: z.string().optional(),
  SVC_ADMIN_LOGIN: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9\-_#@/.|]{1,31}$/)
    .default('admin'),
  SVC_ADMIN_PASSWORD: z.string().min(8).max(1024).optional(),
  SVC_PASSWORD_EXPIRE_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
  SVC_DEMO: Switch.optional(),
  SVC_SWAGGER: Switch.optional(),
  SVC_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  SVC_EGRESS_ALLOW: EgressAllow.default([]),
  SVC_SMTP_URL: SmtpUrl.optional(),
  SVC_MAIL_FROM: z.email().optional(),
  LWM2M_HOST: z.string().min(1).default('0.0.0.0'),
  LWM2M_PORT: Port.default(5683),
  LWM2M_SECURE_PORT: Port.default(5684),
  AGENTIC_TOOL_CALLING_ENABLED: Switch.default(true),
  SVC_AGENTIC_HISTORY_WINDOW_SIZE: z.coerce.number().int().min(1).max(200).optional(),
  AGENTIC_HISTORY_WINDOW_SIZE: z.coerce.number().int().min(1).max(200).optional(),
  AGENTIC_MEMORY_ENABLED: Switch.default(false),
  AGENTIC_MEMORY_MAX_MESSAGES: z.coerce.number().int().min(1).max(500).default(50),
  AGENTIC_MEMORY_SCHEMA_INIT: z.enum(['always', 'never', 'create_if_not_exists']).default('never'),
  AGENTIC_ATTACHMENT_STORAGE_PATH: z.string().min(1).optional(),
  AGENTIC_FALLBACK_OPENAI_BASE_URL: z
    .url({ protocol: /^https?$/ })
    .default('https://api.openai.com/v1'),
  // Sent in a header, where other characters would fail every request.
  AGENTIC_FALLBACK_OPENAI_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces')
    .default(''),
  AGENTIC_FALLBACK_OPENAI_MODEL: z.string().min(1).default('gpt-4o-mini'),
  AGENTIC_FALLBACK_OPENAI_TEMPERATURE: z.coerce.number().min(0).max(2).default(0.7),
  AGENTIC_FALLBACK_OPENAI_MAX_TOKENS: z.coerce.number().int().min(1).max(1_000_000).default(2048),
  SVC_CRASH_AT: z
    .string()
    .regex(/^[a-z-]+(:[1-9]\d{0,4})?$/, 'must be a name, or name:count')
    .optional(),
});

/** The names of all variables; docs/operations.md lists the same. */
export const VARIABLES: readonly string[] = Object.keys(Environment.shape);

export type Config = ReturnType<typeof readConfig>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses the environment; throws `ConfigError` with all reasons at once, each naming its variable. */
export function readConfig(environment: Record<string, string | undefined>) {
  // Compose files and shells leave empty variables behind: unset for all but `hmacSecret`.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { env, wrong } = parse(given);
  const stage = env.SVC_ENV ?? (env.NODE_ENV === 'production' ? 'pro' : 'dev');
  const production = stage === 'pre' || stage === 'pro';
  const port = env.SVC_PORT ?? env.DC3_GATEWAY_PORT ?? 8000;
  const dataDir = resolve(env.SVC_DATA_DIR);
  const shape = processLayoutOf(env);
  const databaseUrl = env.DATABASE_URL ?? null;
  const amqpUrl = env.AMQP_URL ?? null;
  const signing = shape.serves ? hmacSecret(given, environment) : null;
  const refusals = [
    ...wrong.values(),
    ...combined(env, { stage, production, shape, signing, given }),
    ...splitProblems(shape, {
      databaseUrl,
      amqpUrl,
      secretKey: env.SVC_SECRET_KEY,
      hmacSecret: signing,
      defaultHmacSecret: DEFAULT_HMAC_SECRET,
    }),
  ];
  // An invalid variable is not reported as missing as well.
  const reasons = refusals.filter(
    (reason, at) =>
      at < wrong.size || ![...wrong.keys()].some((name) => reason.startsWith(`${name} `)),
  );
  if (reasons.length > 0) {
    const roles = [...shape.roles].join(', ');
    const head = shape.split
      ? `SVC_ROLES is ${roles} only, but:`
      : 'The environment is not usable:';
    throw new ConfigError(`${head}\n  ${[...new Set(reasons)].join('\n  ')}`);
  }
  return {
    ...shape,
    stage,
    production,
    host: env.SVC_HOST,
    port,
    /** Public address, without a trailing slash; a port of 0 is replaced at listen. */
    baseUrl: (
      env.SVC_BASE_URL ??
      `http://${env.SVC_HOST === '0.0.0.0' ? '127.0.0.1' : env.SVC_HOST}:${port}`
    ).replace(/\/+$/, ''),
    /** Proxies (addresses and networks) that are trusted to name the client in X-Forwarded-For. */
    trustedProxies: env.SVC_TRUSTED_PROXIES,
    dataDir,
    databaseUrl,
    /** RabbitMQ; without a URL the bus is in-process. The prefix starts the names of exchanges and queues. */
    bus: { amqpUrl, prefix: env.SVC_BUS_PREFIX },
    /** Null: a generated key is kept in the data directory. */
    secretKey: env.SVC_SECRET_KEY ?? null,
    hmacSecret: signing,
    admin: { login: env.SVC_ADMIN_LOGIN, password: env.SVC_ADMIN_PASSWORD ?? null },
    /** Days until a new password expires; 0 = never. */
    passwordExpireDays: env.SVC_PASSWORD_EXPIRE_DAYS,
    demo: env.SVC_DEMO ?? (stage === 'dev' && !shape.split),
    /**
     * Swagger UI and the OpenAPI document; off in production by default (docs/specification/service.md,
     * Rules of the service 3).
     */
    swagger: env.SVC_SWAGGER ?? !production,
    logLevel: env.SVC_LOG_LEVEL,
    /** Addresses (`host:port`) that a sink may reach although they are not public. */
    egressAllow: allowedBySink(env.SVC_EGRESS_ALLOW),
    mail: env.SVC_SMTP_URL ? { url: env.SVC_SMTP_URL, from: env.SVC_MAIL_FROM ?? '' } : null,
    lwm2m: { host: env.LWM2M_HOST, port: env.LWM2M_PORT, securePort: env.LWM2M_SECURE_PORT },
    agentic: {
      toolCalling: env.AGENTIC_TOOL_CALLING_ENABLED,
      historyWindow: env.SVC_AGENTIC_HISTORY_WINDOW_SIZE ?? env.AGENTIC_HISTORY_WINDOW_SIZE ?? 30,
      memory: {
        enabled: env.AGENTIC_MEMORY_ENABLED,
        maxMessages: env.AGENTIC_MEMORY_MAX_MESSAGES,
        schemaInit: env.AGENTIC_MEMORY_SCHEMA_INIT,
      },
      attachmentPath: resolve(
        env.AGENTIC_ATTACHMENT_STORAGE_PATH ?? join(dataDir, 'agentic', 'attachments'),
      ),
      fallback: {
        baseUrl: env.AGENTIC_FALLBACK_OPENAI_BASE_URL,
        apiKey: env.AGENTIC_FALLBACK_OPENAI_API_KEY,
        model: env.AGENTIC_FALLBACK_OPENAI_MODEL,
        temperature: env.AGENTIC_FALLBACK_OPENAI_TEMPERATURE,
        maxTokens: env.AGENTIC_FALLBACK_OPENAI_MAX_TOKENS,
      },
    },
    crashAt: env.SVC_CRASH_AT ?? null,
    warnings: warningsOf(given),
  };
}

/** Settings that are probably mistakes but do not stop a start; names only, never a value. */
function warningsOf(given: Record<string, string | undefined>): string[] {
  // Not refused: container platforms set variables of their own, named after services.
  const unknown = Object.keys(given)
    .filter((name) => /^(SVC|AGENTIC|LWM2M)_/.test(name) && !VARIABLES.includes(name))
    .toSorted();
  return [
    ...unknown.slice(0, 50).map((name) => `there is no setting ${name}: is it misspelt?`),
    ...(given['LWM2M_SECURE_PORT'] === undefined
      ? []
      : ['LWM2M_SECURE_PORT is set, but DTLS is not served yet: nothing listens there']),
  ];
}

type Parsed = z.output<typeof Environment>;

/** The valid variables, and a reason by name for each invalid one. */
function parse(given: Record<string, string | undefined>): {
  env: Parsed;
  wrong: Map<string, string>;
} {
  const parsed = Environment.safeParse(given);
  if (parsed.success) return { env: parsed.data, wrong: new Map() };
  const wrong = new Map(
    parsed.error.issues.map(({ path, message }) => [
      `${path[0]?.toString()}`,
      `${path.join('.')}: ${message}`,
    ]),
  );
  const rest = Object.entries(given).filter(([name]) => !wrong.has(name));
  return { env: Environment.parse(Object.fromEntries(rest)), wrong };
}

type Circumstances = {
  stage: string;
  production: boolean;
  shape: ProcessLayout;
  signing: string | null;
  given: Record<string, string | undefined>;
};

/** Refuses combinations of variables that are valid by themselves. */
function combined(
  env: Parsed,
  { stage, production, shape, signing, given }: Circumstances,
): string[] {
  const reasons: string[] = [];
  if (env.SVC_CRASH_AT && stage !== 'test')
    reasons.push('SVC_CRASH_AT works only with SVC_ENV=test');
  if (env.SVC_SMTP_URL && !env.SVC_MAIL_FROM)
    reasons.push('SVC_SMTP_URL needs SVC_MAIL_FROM, the sender of its mails');
  if (!production || !shape.serves) return reasons;
  // `splitProblems` refuses a missing key for split roles in every environment.
  if (!env.SVC_SECRET_KEY && !shape.split)
    reasons.push('SVC_SECRET_KEY is required in pre and pro: openssl rand -base64 32 makes one');
  if (signing === null || signing === DEFAULT_HMAC_SECRET) {
    const name = given['SVC_AUTH_HMAC_SECRET'] ? 'SVC_AUTH_HMAC_SECRET' : 'AUTH_HMAC_SECRET';
    reasons.push(
      `Illegal state: ${name} is empty or the shipped default, which pre and pro refuse`,
    );
  }
  return reasons;
}

/**
 * The shared secret of gateway and centers; null switches signing off (docs/specification/trust.md 5–7).
 * Unset means the shipped default, set but empty means off.
 */
function hmacSecret(
  given: Record<string, string | undefined>,
  environment: Record<string, string | undefined>,
): string | null {
  const secret = given['AUTH_HMAC_SECRET'] ?? given['SVC_AUTH_HMAC_SECRET'];
  const switchedOff = [
    environment['AUTH_HMAC_SECRET'],
    environment['SVC_AUTH_HMAC_SECRET'],
  ].includes('');
  return secret?.trim()
    ? secret
    : secret === undefined && !switchedOff
      ? DEFAULT_HMAC_SECRET
      : null;
}
