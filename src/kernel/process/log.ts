import { type Logger, pino } from 'pino';

/** Structured log: facts first, then one sentence. Secrets are redacted at any depth. */
export type Log = {
  debug(facts: object, text: string): void;
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
  child(facts: object): Log;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const SECRET =
  /^(password|newpassword|password_?hash|token|access_?token|refresh_?token|id_?token|salt|secret|client_?secret|api_?key|apikey|psk_?key|pskkey|authorization|cookie|set-cookie|x-auth-token|x-auth-sign|x-api-key|code_verifier|body|rawbody)$/i;
const MAX_DEPTH = 8;

/**
 * A copy of `value` without secrets, cyclic parts or endless depth. Errors become their name, message,
 * stack and cause only: body-parser attaches the raw request body to its errors.
 */
function redact(value: unknown, depth = 0, seen = new Set<object>()): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return value;
  if (depth > MAX_DEPTH || seen.has(value)) return '[cut]';
  seen.add(value);
  if (value instanceof Error) {
    const { name, message, stack, cause } = value;
    return {
      name,
      message,
      stack,
      ...(cause === undefined ? {} : { cause: redact(cause, depth + 1, seen) }),
    };
  }
  if (Array.isArray(value)) return value.slice(0, 100).map((item) => redact(item, depth + 1, seen));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      SECRET.test(key) ? '[redacted]' : redact(item, depth + 1, seen),
    ]),
  );
}

/** Writes one JSON object per line, to standard error unless `write` is given. */
export function createLog(level: LogLevel, write?: (line: string) => void): Log {
  const plain = (facts: object) => Object.fromEntries(Object.entries(redact(facts) ?? {}));
  const options = { level, base: null, formatters: { log: plain } };
  const wrap = (logger: Logger): Log => ({
    debug: (facts, text) => logger.debug(facts, text),
    info: (facts, text) => logger.info(facts, text),
    warn: (facts, text) => logger.warn(facts, text),
    error: (facts, text) => logger.error(facts, text),
    // pino does not send a child's facts through `formatters.log`.
    child: (facts) => wrap(logger.child(plain(facts))),
  });
  return wrap(pino(options, write ? { write } : pino.destination(2)));
}
