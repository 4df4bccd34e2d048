import { z } from 'zod';

import type { Session } from '../../people/session.ts';
import { fresh } from '../../world/fresh-name.ts';

const KEY = '/api/v3/auth/key';
const Made = z.object({ id: z.string(), key: z.string() });

/** Headers by kind of credential; `at` is the audience of the door that they are shown to. */
export type Credentials = ReadonlyMap<string, (at: 'api' | 'mcp') => Record<string, string>>;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** None, one that was invented, one that has ended, and one for the other audience. */
export async function wrongCredentials(admin: Session): Promise<Credentials> {
  const add = async (audience: 'api' | 'mcp') => {
    const asked = { keyName: fresh('key'), audience, scopes: ['svc:read'] };
    return Made.parse(await admin.data(`${KEY}/add`, asked));
  };
  const [ended, api, mcp] = [await add('api'), await add('api'), await add('mcp')];
  await admin.data(`${KEY}/revoke`, { id: ended.id });
  const invented = `svc_api_${'A'.repeat(8)}_${'A'.repeat(43)}`;
  return new Map<string, (at: 'api' | 'mcp') => Record<string, string>>([
    ['no credential', () => ({})],
    ['an invented bearer', () => bearer(invented)],
    ['an ended key', () => bearer(ended.key)],
    ['the wrong audience', (at: 'api' | 'mcp') => bearer({ api: mcp, mcp: api }[at].key)],
  ]);
}
