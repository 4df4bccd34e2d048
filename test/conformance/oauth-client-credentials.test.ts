import * as oauth from 'oauth4webapi';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  ask,
  discover,
  insecure,
  newClient,
  type OauthClient,
  refusal,
} from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

let client: OauthClient;
const resource = () => `${world.base}/mcp`;

const world = startedWorld();
const server = prepared(() => discover(world.base));
beforeAll(async () => {
  client = await newClient(world.admin, server, 'svc:read svc:propose');
});

async function post(
  path: string,
  body: Record<string, string>,
  headers: Record<string, string> = {},
) {
  return fetch(`${world.base}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(body),
    signal: AbortSignal.timeout(10_000),
  });
}

describe('RFC 8414, metadata', () => {
  it('names the same issuer and endpoints in both forms, below the public address', async () => {
    expect(server).toMatchObject({
      issuer: world.base,
      token_endpoint: `${world.base}/oauth2/token`,
      jwks_uri: `${world.base}/oauth2/jwks`,
      revocation_endpoint: `${world.base}/oauth2/revoke`,
      introspection_endpoint: `${world.base}/oauth2/introspect`,
      authorization_endpoint: `${world.base}/oauth2/authorize`,
      registration_endpoint: `${world.base}/oauth2/register`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['svc:read', 'svc:read-device', 'svc:propose', 'svc:chat'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(server.grant_types_supported?.toSorted()).toEqual([
      'authorization_code',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ]);
    expect(server.token_endpoint_auth_methods_supported?.toSorted()).toEqual([
      'client_secret_basic',
      'client_secret_post',
      'none',
    ]);
    expect(server['client_id_metadata_document_supported']).toBe(true);
    expect(await discover(world.base, 'oidc')).toEqual(server);
    expect(client.token_endpoint).toBe(server.token_endpoint);
  });

  it('keeps the public address whatever host the request names', async () => {
    const { port } = new URL(world.base);
    const answer = await fetch(`http://localhost:${port}/.well-known/oauth-authorization-server`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    });
    expect(await answer.json()).toEqual(server);
  });

  it('publishes no private key', async () => {
    const { keys } = z
      .object({ keys: z.array(z.record(z.string(), z.unknown())) })
      .parse(await (await fetch(`${world.base}/oauth2/jwks`)).json());
    expect(keys).toHaveLength(1);
    expect(keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    expect(keys[0]).not.toHaveProperty('d');
  });
});

describe('RFC 6749 4.4, client credentials', () => {
  it('answers an opaque bearer token of 15 minutes with the registered scopes', async () => {
    const token = await client.ask({ resource: resource() });
    expect(token).toMatchObject({
      token_type: 'bearer',
      expires_in: 900,
      scope: 'svc:read svc:propose',
    });
    expect(token.access_token).toMatch(/^[\w-]{43}$/);
    expect(token).not.toHaveProperty('refresh_token');
  });

  it('takes the secret in the body as well (2.3.1)', async () => {
    const token = await client.ask({}, oauth.ClientSecretPost(client.client_secret));
    expect(token.scope).toBe('svc:read svc:propose');
  });

  it('gives fewer scopes when fewer are asked for, and never more than registered', async () => {
    expect((await client.ask({ scope: 'svc:read' })).scope).toBe('svc:read');
    for (const scope of ['svc:chat', 'svc:read svc:chat', 'openid', 'admin', '*']) {
      expect(await refusal(client.ask({ scope })), scope).toEqual({
        status: 400,
        error: 'invalid_scope',
      });
    }
  });

  it('gives a client that registered without scopes the least', async () => {
    const plain = await newClient(world.admin, server);
    expect((await plain.ask()).scope).toBe('svc:read');
  });

  it('refuses a wrong secret, an unknown client and a client without secret (5.2)', async () => {
    const basic = await refusal(client.ask({}, oauth.ClientSecretBasic('wrong')));
    expect(basic).toEqual({ status: 401, error: 'invalid_client', challenge: 'basic' });
    const unknown = { client_id: 'svc_nobody' };
    expect(await refusal(ask(server, unknown, oauth.ClientSecretBasic('wrong'), {}))).toEqual(
      basic,
    );
    expect(await refusal(client.ask({}, oauth.ClientSecretPost('wrong')))).toEqual({
      status: 401,
      error: 'invalid_client',
    });
    expect(await refusal(client.ask({}, oauth.None()))).toEqual({
      status: 401,
      error: 'invalid_client',
    });
  });

  it('refuses every other grant (5.2)', async () => {
    const refused = {
      authorization_code: 'invalid_request',
      refresh_token: 'invalid_request',
      password: 'unsupported_grant_type',
      implicit: 'unsupported_grant_type',
      x: 'unsupported_grant_type',
    };
    for (const [grant, error] of Object.entries(refused)) {
      const answer = await oauth.genericTokenEndpointRequest(
        server,
        client.identity,
        oauth.ClientSecretBasic(client.client_secret),
        grant,
        { code: 'x', refresh_token: 'x', redirect_uri: 'http://127.0.0.1/' },
        insecure,
      );
      expect(
        await refusal(oauth.processGenericTokenEndpointResponse(server, client.identity, answer)),
      ).toEqual({ status: 400, error });
    }
  });

  it('answers malformed requests in the protocol’s JSON, also to a browser', async () => {
    const browser = { accept: 'text/html' };
    const answers = [
      await post('/oauth2/token', {}, browser),
      await fetch(`${world.base}/oauth2/token`, {
        method: 'POST',
        headers: { ...browser, 'content-type': 'application/json' },
        body: '{"grant_type":"client_credentials"}',
      }),
      await fetch(`${world.base}/oauth2/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a'.repeat(100_000),
      }),
      await post(
        '/oauth2/token',
        { grant_type: 'client_credentials' },
        { authorization: 'Basic !' },
      ),
      await post('/oauth2/token', { grant_type: 'client_credentials', client_id: 'a\0b' }),
      await fetch(`${world.base}/oauth2/authorize`),
    ];
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect([400, 401]).toContain(answer.status);
      expect(await answer.json()).toHaveProperty('error');
    }
  });

  it('forbids keeping the answer (5.1)', async () => {
    const { client_id, client_secret } = client;
    const answer = await post('/oauth2/token', {
      grant_type: 'client_credentials',
      client_id,
      client_secret,
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });
});

describe('RFC 8707, resource indicators', () => {
  it('binds the token to /mcp, written with or without a slash or not at all', async () => {
    for (const parameters of [{ resource: resource() }, { resource: `${resource()}/` }, {}]) {
      const { access_token } = await client.ask(parameters);
      const caller = await bearerCaller(world.app, access_token, 'mcp');
      expect(caller.scopes).toEqual(['svc:read', 'svc:propose']);
    }
  });

  it('refuses another resource', async () => {
    for (const other of [world.base, `${world.base}/other`, 'https://example.com/mcp', 'mcp']) {
      expect(await refusal(client.ask({ resource: other })), other).toEqual({
        status: 400,
        error: 'invalid_target',
      });
    }
  });

  it('refuses a token for another address', async () => {
    const { access_token } = await client.ask();
    const config = { ...world.app.config, baseUrl: 'http://elsewhere' };
    const moved = otherNode(world.app, { config });
    await expect(bearerCaller(moved, access_token, 'mcp')).rejects.toMatchObject({
      status: 401,
    });
  });
});
