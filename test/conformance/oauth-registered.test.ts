import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { Browser } from '../support/people/browser.ts';
import {
  admin,
  allowAll,
  authorizationUrl,
  callback,
  discover,
  insecure,
  redeem,
  refusal,
} from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();
const server = prepared(() => discover(world.base));

const use = (token: string) => bearerCaller(world.app, token, 'mcp');

describe('a client an administrator registered', () => {
  const redirectUri = 'https://portal.example/back';
  const Registered = z.object({ client_id: z.string(), client_secret: z.string() });

  it('proves itself with its secret, for people of its tenant, for the scopes it has', async () => {
    const home = await world.tenant('home');
    const registered = Registered.parse(
      await home.data('/api/v3/auth/mcp/client/register', {
        client_name: 'Portal',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [redirectUri],
        scope: 'svc:read svc:chat',
      }),
    );
    const portal = { client_id: registered.client_id, redirectUri };
    const { url, verifier, state } = await authorizationUrl(server, portal, {
      scope: 'svc:chat',
      resource: `${world.base}/api/v3`,
    });
    const stranger = await new Browser(world.base).get(url);
    const browser = new Browser(world.base);
    expect((await browser.submit(await browser.get(url), /\/login$/, admin)).status).toBe(401);
    expect(stranger.text).toContain('Portal');
    const page = await allowAll(new Browser(world.base), url, {
      ...admin,
      tenant: 'home',
      login: 'home-admin',
    });
    const parameters = callback(server, portal, page, state);
    expect((await refusal(redeem(server, portal, parameters, verifier))).error).toBe(
      'invalid_client',
    );
    const answer = await oauth.authorizationCodeGrantRequest(
      server,
      portal,
      oauth.ClientSecretBasic(registered.client_secret),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, portal, answer);
    expect(await bearerCaller(world.app, tokens.access_token, 'api')).toMatchObject({
      tenantId: home.tenantId,
      name: 'home-admin',
      scopes: ['svc:chat'],
    });
    const more = await authorizationUrl(server, portal, { scope: 'svc:propose' });
    const back = await new Browser(world.base).get(more.url);
    expect(new URL(back.url).searchParams.get('error')).toBe('invalid_scope');

    const clients = z
      .array(z.object({ id: z.string(), clientId: z.string() }))
      .parse(await home.data('/api/v3/auth/mcp/client/list', {}));
    const id = String(clients.find(({ clientId }) => clientId === portal.client_id)?.id);
    await home.data('/api/v3/auth/mcp/client/delete', {}, { id });
    await expect(use(tokens.access_token)).rejects.toMatchObject({ status: 401 });
  });

  it('is either a program or for people', async () => {
    const session = await world.tenant('either');
    const wrong = [
      { grant_types: ['authorization_code'] },
      { grant_types: ['refresh_token'], redirect_uris: [redirectUri] },
      { grant_types: ['client_credentials'] },
      { grant_types: ['authorization_code', 'client_credentials'], redirect_uris: [redirectUri] },
      { grant_types: ['authorization_code'], redirect_uris: ['javascript:alert(1)'] },
      { grant_types: ['authorization_code'], redirect_uris: ['http://portal.example/'] },
      {
        grant_types: ['authorization_code'],
        redirect_uris: [redirectUri],
        service_account_principal_id: '1',
      },
      {
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'none',
        service_account_principal_id: '1',
      },
    ];
    for (const input of wrong) {
      const answer = await session.post('/api/v3/auth/mcp/client/register', {
        client_name: 'x',
        ...input,
      });
      expect(answer.status, JSON.stringify(input)).toBe(400);
    }
  });
});
