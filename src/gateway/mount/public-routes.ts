import type { Caller } from '../../kernel/app/app.ts';

/** The only routes without login; any other route without a permission stops the start. */
const PUBLIC_ROUTES = [
  'auth/token/salt',
  'auth/token/generate',
  'auth/token/change_password',
  'auth/token/external',
  'auth/session/begin',
  // A channel signs it.
  'data/notify/channel/answer',
];

/** The caller of a public route: no principal, no tenant, no permissions. */
export function anonymous(center: string, path: string): Caller {
  if (!PUBLIC_ROUTES.includes(`${center}${path}`)) {
    throw new Error(`${center}${path} has no permission and is not on the public list`);
  }
  return {
    tenantId: '0',
    principalId: '0',
    principalType: 'SYSTEM',
    name: 'anonymous',
    via: 'system',
    permissions: new Set(),
  };
}
