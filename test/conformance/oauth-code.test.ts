import type * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { authenticateBearer } from '../../src/auth/oauth/bearer.ts';
import { startWorld, type World } from '../support/app.ts';
import { Browser } from '../support/browser.ts';
import {
  type AppClient,
  allowAll,
  authorizationUrl,
  callback,
  discover,
  redeem,
  refresh,
  refusal,
  registerApp,
  tokensFor,
} from '../support/oauth-client.ts';

let world: World;
let server: oauth.AuthorizationServer;
let client: AppClient;

beforeAll(async () => {
  world = await startWorld();
  server = await discover(world.base);
  client = await registerApp(server);
});
afterAll(() => world.stop());

const use = (token: string) => authenticateBearer(world.app, token);

describe('the authorization code grant (OAuth 2.1, 4.1)', () => {
  it('leads a person from login and consent to tokens for this resource', async () => {
    const browser = new Browser(world.base);
    const { url, verifier, state } = await authorizationUrl(server, client);
    const page = await allowAll(browser, url);
    expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:7777\/callback\?/);
    const parameters = callback(server, client, page, state);
    const tokens = await redeem(server, client, parameters, verifier, {
      resource: `${world.base}/mcp`,
    });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'svc:read' });
    expect(await use(tokens.access_token)).toMatchObject({
      tenantId: world.admin.tenantId,
      principalType: 'USER',
      name: 'admin',
      via: 'oauth',
      clientId: client.client_id,
      scopes: ['svc:read'],
    });
  });
  it('rotates', async () => {
    const tokens = await tokensFor(world.base, server, client);
    const next = await refresh(server, client, tokens.refresh);
    expect(next.refresh_token).not.toBe(tokens.refresh);
    expect(await refusal(refresh(server, client, tokens.refresh))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
    expect(await refusal(refresh(server, client, String(next.refresh_token)))).toEqual({
      status: 400,
      error: 'invalid_grant',
    });
  });
});
