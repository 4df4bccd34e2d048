import { z } from 'zod';

import { ConfigError } from '../kernel/process/config.ts';
import { UnfinishedStart } from '../start/first-login.ts';

/** Hints for failures of a start that a setting causes. */
const hints: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'Another program has this port. Choose one with SVC_PORT, LWM2M_PORT, LWM2M_SECURE_PORT or HTTP_IN_PORT.',
  EADDRNOTAVAIL:
    'This machine has no such address. Choose one with SVC_HOST, LWM2M_HOST, LWM2M_SECURE_HOST or HTTP_IN_HOST.',
  ENOTFOUND:
    'There is no such host. SVC_HOST, LWM2M_HOST, LWM2M_SECURE_HOST, HTTP_IN_HOST, DATABASE_URL and AMQP_URL name hosts.',
  EAI_AGAIN:
    'The host cannot be looked up. SVC_HOST, LWM2M_HOST, LWM2M_SECURE_HOST, HTTP_IN_HOST, DATABASE_URL and AMQP_URL name hosts.',
  ECONNREFUSED: 'No server answers there. DATABASE_URL and AMQP_URL name servers.',
  EEXIST: 'SVC_DATA_DIR must be a folder.',
  ENOTDIR: 'SVC_DATA_DIR must be a folder.',
  EROFS: 'SVC_DATA_DIR must be a folder that can be written.',
  EACCES:
    'SVC_DATA_DIR must be a folder that can be written; SVC_PORT and LWM2M_PORT below 1024 need rights.',
};

/** The message for a failed command: no stack, no value of a setting. */
export function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof UnfinishedStart) {
    const { login, generatedPassword } = error.firstLogin;
    return `${explain(error.cause)}\nThe first admin exists: login ${login}, password ${generatedPassword} (generated, shown once)`;
  }
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n');
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const hint = hints[code];
  if (hint) return `${error.message}\n${hint}`;
  const cause = error.cause instanceof Error ? `\n  because: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}
