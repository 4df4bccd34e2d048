import { join, resolve } from 'node:path';

import type { z } from 'zod';

import { allowedBySink } from '../egress/sink.ts';
import { isLoopbackName } from '../request/loopback.ts';
import { isRepetition } from '../secret.ts';
import { modeNamed } from './agent-mode.ts';
import { type DriverVariables, Environment, parse, warningsOf } from './environment.ts';
import { addressesOf } from './hosts.ts';
import { type ProcessLayout, processLayoutOf, splitProblems } from './layout.ts';

const MIN_LENGTH = 32;
/** Of 16 random bytes in hex fewer are as good as impossible. */
const MIN_KINDS = 8;

/** Why a shared secret could be guessed; null when it has the length and the variety of random text. */
function whyWeak(secret: string): string | null {
  if (secret.length < MIN_LENGTH) return `has fewer than ${MIN_LENGTH} characters`;
  return isRepetition(secret) || new Set(secret).size < MIN_KINDS ? 'repeats few characters' : null;
}

type Places = { baseUrl: string; amqpUrl: string | null; serves: boolean };

/** What crosses a network in clear with these addresses, one sentence each; no address is repeated. */
function unsafeOf({ baseUrl, amqpUrl, serves }: Places): string[] {
  const isClear = (url: string | null, scheme: string): boolean =>
    (url === null ? [] : (addressesOf(url) ?? [])).some(
      (each) => each.startsWith(`${scheme}:`) && !isLoopbackName(new URL(each).hostname),
    );
  const said: string[] = [];
  if (serves && isClear(baseUrl, 'http'))
    said.push(
      'SVC_BASE_URL is http: passwords, keys and cookies cross the network in clear; put TLS in front and name its https address',
    );
  if (isClear(amqpUrl, 'amqp'))
    said.push(
      'AMQP_URL is amqp to another host: values, commands and keys of devices cross the network in clear; amqps encrypts them',
    );
  return said;
}

/** docs/specification/trust.md 5: the shipped default that pre and pro refuse. */
export const DEFAULT_HMAC_SECRET = 'svc-default-hmac-secret';

/** The settings of the platform; the composition root has those of the drivers beside it. */
export type Config = Omit<ReturnType<typeof readConfig>, 'drivers'>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const mailOf = ({ SVC_SMTP_URL: url, SVC_MAIL_FROM: from = '' }: z.output<typeof Environment>) =>
  url ? { url, from } : null;

/** Parses the environment; throws `ConfigError` with all reasons at once, each naming its variable. */
export function readConfig<S extends z.ZodObject>(
  environment: Record<string, string | undefined>,
  drivers: DriverVariables<S>,
) {
  // Compose files and shells leave empty variables behind: unset for all but `hmacSecret`.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { env, wrong: ours } = parse(Environment, given);
  const { env: driverEnv, wrong: theirs } = parse(drivers.schema, given);
  const wrong = new Map([...ours, ...theirs]);
  const { stage, production } = stageOf(env);
  const port = env.SVC_PORT ?? env.DC3_GATEWAY_PORT ?? 8000;
  const dataDir = resolve(env.SVC_DATA_DIR);
  const layout = processLayoutOf(env);
  const databaseUrl = env.DATABASE_URL ?? null;
  const amqpUrl = env.AMQP_URL ?? null;
  const signing = layout.serves ? hmacSecret(given, environment) : null;
  const refusals = [
    ...wrong.values(),
    ...combined(env, { stage, production, layout, signing, given }),
    ...splitProblems(layout, {
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
  if (reasons.length > 0) throw unusable(layout, reasons);
  const baseUrl = baseUrlOf(env, port);
  return {
    ...layout,
    stage,
    production,
    host: env.SVC_HOST,
    port,
    baseUrl,
    /** Further names of the platform in Host headers, lower case. */
    hostNames: env.SVC_HOST_NAMES,
    /** Proxies (addresses and networks) that are trusted to name the client in X-Forwarded-For. */
    trustedProxies: env.SVC_TRUSTED_PROXIES,
    dataDir,
    /** With less free on the disk of the embedded database neither values nor files are stored. */
    diskReserveBytes: env.SVC_DISK_RESERVE_MB * 1024 * 1024,
    /** File outside the database that the heads of the audit logs are written to. */
    auditHead: resolve(env.SVC_AUDIT_HEAD ?? join(dataDir, 'audit-head.jsonl')),
    databaseUrl,
    /** RabbitMQ; without a URL the bus is in-process. The prefix starts the names of exchanges and queues. */
    bus: { amqpUrl, prefix: env.SVC_BUS_PREFIX },
    /** Null: a generated key is kept in the data directory. */
    secretKey: env.SVC_SECRET_KEY ?? null,
    hmacSecret: signing,
    admin: { login: env.SVC_ADMIN_LOGIN, password: env.SVC_ADMIN_PASSWORD ?? null },
    /** Days until a new password expires; 0 = never. */
    passwordExpireDays: env.SVC_PASSWORD_EXPIRE_DAYS,
    demo: env.SVC_DEMO ?? (stage === 'dev' && !layout.split),
    /**
     * Swagger UI and the OpenAPI document; off in production by default (docs/specification/service.md,
     * Rules of the service 3).
     */
    swagger: env.SVC_SWAGGER ?? !production,
    logLevel: env.SVC_LOG_LEVEL,
    /** Addresses (`host:port`) that a sink may reach although they are not public. */
    egressAllow: allowedBySink(env.SVC_EGRESS_ALLOW),
    /** Origins of web pages that may call `/mcp` with a token. */
    mcpOrigins: env.SVC_MCP_ORIGINS,
    /** Hosts whose documents describe OAuth clients; `*` is every host. */
    oauthClientHosts: env.SVC_OAUTH_CLIENT_HOSTS,
    metrics: metricsOf(env),
    /** Where a process says once a minute that it is ready; it is a secret. */
    heartbeatUrl: env.SVC_HEARTBEAT_URL ?? null,
    mail: mailOf(env),
    /** How long after its end an hour of values is closed; null: never. */
    closeAfterMs:
      env.SVC_HISTORY_CLOSE_HOURS === 0 ? null : env.SVC_HISTORY_CLOSE_HOURS * 3_600_000,
    ...limitsOf(env),
    agentic: agenticOf(env, dataDir),
    crashAt: env.SVC_CRASH_AT ?? null,
    drivers: driverEnv,
    warnings: warningsOf(given, drivers),
    /** What production should not be run with: said in the log, at `/readyz` and by the doctor. */
    unsafe: production
      ? [
          ...unsafeOf({ baseUrl, amqpUrl, serves: layout.serves }),
          ...(drivers.unsafe?.(driverEnv, layout.services) ?? []),
        ]
      : [],
  };
}

type Env = z.output<typeof Environment>;

function stageOf({ SVC_ENV, NODE_ENV }: Env) {
  const stage = SVC_ENV ?? (NODE_ENV === 'production' ? 'pro' : 'dev');
  return { stage, production: stage === 'pre' || stage === 'pro' };
}

function unusable({ services, split }: ProcessLayout, reasons: readonly string[]): ConfigError {
  const head = split
    ? `SVC_ROLES is ${[...services].join(', ')} only, but:`
    : 'The environment is not usable:';
  return new ConfigError(`${head}\n  ${[...new Set(reasons)].join('\n  ')}`);
}

/** Public address, without a trailing slash; a port of 0 is replaced at listen. */
function baseUrlOf(env: Env, port: number): string {
  const host = env.SVC_HOST === '0.0.0.0' ? '127.0.0.1' : env.SVC_HOST;
  return (env.SVC_BASE_URL ?? `http://${host}:${port}`).replace(/\/+$/, '');
}

/** What programs and agents may do, and how much of it. */
const limitsOf = (env: Env) => ({
  /** What agents may do in this process at most; the switches in the database may allow less. */
  agents: modeNamed(env.SVC_AGENTS),
  /** Whether agents may propose firmware that devices fetch by themselves, of which no bytes are known. */
  agentFirmwareByUri: env.SVC_AGENT_FIRMWARE_BY_URI,
  /** What agents may use in an hour. */
  budgets: {
    connection: env.SVC_AGENT_CONNECTION_BUDGET,
    principal: env.SVC_AGENT_PRINCIPAL_BUDGET,
  },
  /** Calls over REST of keys and tokens, of one and of those of a tenant together; 0: no limit. */
  callsPerMinute: { ofKey: env.SVC_KEY_CALLS, ofTenant: env.SVC_TENANT_CALLS },
  /** How often within a minute a call of an agent may have the same answer. */
  agentRepeats: env.SVC_AGENT_REPEATS,
});

/** Where `/metrics` is answered, and with which token; null: nowhere. */
const metricsOf = ({ SVC_METRICS_PORT: port, SVC_METRICS_HOST: host, SVC_METRICS_TOKEN }: Env) =>
  port === undefined ? null : { port, host, token: SVC_METRICS_TOKEN ?? null };

/** The assistant and its models. */
const agenticOf = (env: Env, dataDir: string) => ({
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
  /** Directory of recorded turns; null: none is recorded. */
  record: env.AGENTIC_RECORD === undefined ? null : resolve(env.AGENTIC_RECORD),
  fallback: {
    baseUrl: env.AGENTIC_FALLBACK_OPENAI_BASE_URL,
    apiKey: env.AGENTIC_FALLBACK_OPENAI_API_KEY,
    /** Null: the vendor is reached without one. */
    proxy: env.AGENTIC_FALLBACK_OPENAI_PROXY ?? null,
    /** Without a byte, ms; null: the default of a provider. */
    idleMs: env.AGENTIC_FALLBACK_OPENAI_IDLE_MS ?? null,
    model: env.AGENTIC_FALLBACK_OPENAI_MODEL,
    temperature: env.AGENTIC_FALLBACK_OPENAI_TEMPERATURE,
    maxTokens: env.AGENTIC_FALLBACK_OPENAI_MAX_TOKENS,
  },
});

type Circumstances = {
  stage: string;
  production: boolean;
  layout: ProcessLayout;
  signing: string | null;
  given: Record<string, string | undefined>;
};

/** Refuses combinations of variables that are valid by themselves. */
function combined(
  env: Env,
  { stage, production, layout, signing, given }: Circumstances,
): string[] {
  const reasons: string[] = [];
  if (env.SVC_CRASH_AT && stage !== 'test')
    reasons.push('SVC_CRASH_AT works only with SVC_ENV=test');
  if (env.SVC_SMTP_URL && !env.SVC_MAIL_FROM)
    reasons.push('SVC_SMTP_URL needs SVC_MAIL_FROM, the sender of its mails');
  if (
    env.SVC_METRICS_PORT !== undefined &&
    !metricsOf(env)?.token &&
    !isLoopbackName(env.SVC_METRICS_HOST)
  )
    reasons.push(
      'SVC_METRICS_HOST can be reached by other machines, so SVC_METRICS_TOKEN is required: openssl rand -base64 32 makes one',
    );
  if (!production || !layout.serves) return reasons;
  // `splitProblems` refuses a missing key for services apart in every environment.
  if (!env.SVC_SECRET_KEY && !layout.split)
    reasons.push('SVC_SECRET_KEY is required in pre and pro: openssl rand -base64 32 makes one');
  if (signing === null || signing === DEFAULT_HMAC_SECRET) {
    const name = given['SVC_AUTH_HMAC_SECRET'] ? 'SVC_AUTH_HMAC_SECRET' : 'AUTH_HMAC_SECRET';
    reasons.push(
      `Illegal state: ${name} is empty or the shipped default, which pre and pro refuse`,
    );
  }
  return [...reasons, ...weakSecrets(given, signing)];
}

/** Secrets that could be found by trying: one guessed secret signs in for everybody. */
function weakSecrets(given: Circumstances['given'], signing: string | null): string[] {
  const hmacName = given['SVC_AUTH_HMAC_SECRET'] ? 'SVC_AUTH_HMAC_SECRET' : 'AUTH_HMAC_SECRET';
  const secrets = {
    [hmacName]: signing === DEFAULT_HMAC_SECRET ? null : signing,
    SVC_SECRET_KEY: given['SVC_SECRET_KEY'] ?? null,
  };
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const why = secret === null ? null : whyWeak(secret);
    return why === null
      ? []
      : [`${name} ${why}, which pre and pro refuse: openssl rand -base64 32 makes one`];
  });
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
