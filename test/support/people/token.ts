import { z } from 'zod';

import type { World } from '../world/app.ts';
import { testEnvironment } from '../world/environment.ts';
import { request, type Session } from './session.ts';

/** The token endpoints of a world, as programs without a login call them. */
export function tokensOf(world: () => World) {
  let users = 0;
  const call = (path: string, body: unknown) =>
    request(world().base, 'POST', `/api/v3/auth/token/${path}`, { body });
  return {
    call,
    /** As the first admin, unless `change` says otherwise. */
    generate: (change: Record<string, unknown> = {}) =>
      call('generate', {
        tenant: 'default',
        name: 'admin',
        salt: 'a-salt',
        password: testEnvironment.SVC_ADMIN_PASSWORD,
        ...change,
      }),
    /** A tenant and an admin that no other test throttles or logs out. */
    newcomer: () => world().tenant(`token-${++users}`),
  };
}

export const nameOf = ({ headers }: Session): string => String(headers['x-auth-login']);

/** 200 as long as the login of the session is one. */
export const stillIn = async (session: Session): Promise<number> =>
  (await session.get('/api/v3/auth/tenant/get_by_id', { id: session.tenantId })).status;

export const Claims = z.looseObject({
  tenant_id: z.string(),
  principal_id: z.string(),
  iat: z.number(),
  exp: z.number(),
});

/** Header or claims of a token, from their base64url. */
export const decoded = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
