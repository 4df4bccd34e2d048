import { authenticateBearer } from '../../../src/auth/oauth/store/bearer.ts';
import type { Audience } from '../../../src/auth/permission/audience.ts';
import { onPresentFacts } from '../../../src/auth/permission/present.ts';
import type { App, Caller } from '../../../src/kernel/app/app.ts';

/** The caller behind a key or token on the facts of now, as a request gets it. */
export async function bearerCaller(app: App, token: string, audience: Audience): Promise<Caller> {
  const identify = () => authenticateBearer(app, token, audience);
  return onPresentFacts(app, await identify(), identify, async (caller) => caller);
}
