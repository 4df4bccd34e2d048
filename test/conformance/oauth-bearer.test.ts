import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { cancel } from '../../src/auth/credential/denylist.ts';
import { signingKey } from '../../src/auth/credential/signing-key.ts';
import { clientMetadata } from '../../src/auth/oauth/store/client-metadata.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { deriveKeys } from '../../src/kernel/secret.ts';
import { discover, insecure, newClient, refusal } from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MINUTE_MS = 60_000;

const world = startedWorld();
const server = prepared(() => discover(world.base));
const client = prepared(() => newClient(world.admin, server, 'svc:read svc:propose'));

describe('RFC 6750, the token at work', () => {
  const use = async (token: string) => (await bearerCaller(world.app, token, 'mcp')).principalId;
  const refused = { status: 401, message: 'No available authentication' };

  it('stands for the service account, with the permissions of an agent', async () => {
    const caller = await bearerCaller(world.app, (await client.ask()).access_token, 'mcp');
    expect(caller).toMatchObject({
      tenantId: world.admin.tenantId,
      principalType: 'SERVICE_ACCOUNT',
      via: 'oauth',
      clientId: client.client_id,
      expiresAt: expect.any(Number),
    });
    expect(caller.permissions.has('svc-center-data:point_command:write')).toBe(true);
    expect(caller.permissions.has('svc-center-agentic:action:confirm')).toBe(false);
    expect(caller.permissions.has('*')).toBe(false);
  });

  it('opens reading routes of the API, nothing else', async () => {
    const { access_token } = await client.ask({ resource: `${world.base}/api/v3` });
    const headers = { authorization: `Bearer ${access_token}` };
    const url = `${world.base}/api/v3/auth`;
    const health = await fetch(`${world.base}/api/v3/data/dashboard/system/health`, { headers });
    expect(health.status).toBe(200);
    for (const path of [
      'service_account/add',
      'mcp/client/register',
      'token/cancel',
      'tenant/list',
    ]) {
      const answer = await fetch(`${url}/${path}`, { method: 'POST', headers });
      expect(answer.status, path).toBe(403);
    }
  });

  it('ends after 15 minutes', async () => {
    const { access_token } = await client.ask();
    world.clock.shift(15 * MINUTE_MS - 10_000);
    expect(await use(access_token)).toMatch(/^\d+$/);
    world.clock.shift(10_001);
    await expect(use(access_token)).rejects.toMatchObject(refused);
  });

  it('is not kept in the database as it is', async () => {
    const { access_token } = await client.ask();
    const { rows } = await acrossTenants(world.app.db, 'doctor', async (q) => ({
      rows: await q.selectFrom('svc_oauth_store').selectAll().execute(),
    }));
    expect(JSON.stringify(rows)).not.toContain(access_token);
    const clients = await acrossTenants(world.app.db, 'doctor', (q) =>
      q.selectFrom('svc_oauth_client').selectAll().execute(),
    );
    expect(JSON.stringify(clients)).not.toContain(client.client_secret);
  });

  it('is refused when made up, cut, or a login token', async () => {
    const { access_token } = await client.ask();
    const { token } = JSON.parse(String(world.admin.headers['x-auth-token']));
    for (const wrong of ['', 'x', `${access_token}x`, access_token.slice(1), token, 'a\0b', 'ü']) {
      await expect(use(wrong), wrong).rejects.toMatchObject(refused);
    }
  });

  it('ends when its client is deleted', async () => {
    const own = await newClient(world.admin, server);
    const { access_token } = await own.ask();
    expect(await use(access_token)).toBe(own.principalId);
    const clients = z
      .array(z.object({ id: z.string(), clientId: z.string() }))
      .parse(await world.admin.data('/api/v3/auth/mcp/client/list', {}));
    const id = clients.find(({ clientId }) => clientId === own.client_id)?.id;
    await world.admin.data('/api/v3/auth/mcp/client/delete', {}, { id: String(id) });
    await expect(use(access_token)).rejects.toMatchObject(refused);
    expect(await refusal(own.ask())).toMatchObject({
      error: 'invalid_client',
    });
  });

  it('ends when its account is disabled, on another node within a second', async () => {
    const { access_token } = await client.ask();
    const node = otherNode(world.app);
    expect((await bearerCaller(node, access_token, 'mcp')).name).toMatch(/^agent-/);
    await world.admin.data('/api/v3/auth/service_account/disable', {}, { id: client.accountId });
    await expect(use(access_token)).rejects.toMatchObject(refused);
    expect(await refusal(client.ask())).toMatchObject({ error: 'invalid_client' });
    world.clock.shift(1_001);
    await expect(bearerCaller(node, access_token, 'mcp')).rejects.toMatchObject(refused);
    await world.admin.data('/api/v3/auth/service_account/enable', {}, { id: client.accountId });
    // Enabling gives back the right to ask for tokens, none that was issued before.
    for (const at of [world.app, node])
      await expect(bearerCaller(at, access_token, 'mcp')).rejects.toMatchObject(refused);
    expect(await use((await client.ask()).access_token)).toBe(client.principalId);
  });

  it('ends when everything issued to its principal before is revoked', async () => {
    const { access_token } = await client.ask();
    const { tenantId, principalId } = await bearerCaller(world.app, access_token, 'mcp');
    await cancel(world.app, {
      tenantId,
      principalId,
      principalType: 'SERVICE_ACCOUNT',
      name: 'x',
      via: 'system',
      permissions: new Set(),
    });
    await expect(use(access_token)).rejects.toMatchObject(refused);
    world.clock.shift(1);
    expect(await use((await client.ask()).access_token)).toBe(principalId);
  });
});

describe('RFC 7009 revocation and RFC 7662 introspection', () => {
  it('tells a client about its own token until it revokes it', async () => {
    const { access_token } = await client.ask();
    const auth = oauth.ClientSecretBasic(client.client_secret);
    const look = async () =>
      oauth.processIntrospectionResponse(
        server,
        client.identity,
        await oauth.introspectionRequest(server, client.identity, auth, access_token, insecure),
      );
    expect(await look()).toMatchObject({
      active: true,
      client_id: client.client_id,
      aud: `${world.base}/mcp`,
      scope: 'svc:read svc:propose',
    });
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client.identity, auth, access_token, insecure),
    );
    expect(await look()).toEqual({ active: false });
    world.clock.shift(1_001);
    await expect(bearerCaller(world.app, access_token, 'mcp')).rejects.toMatchObject({
      status: 401,
    });
  });

  it('tells a client nothing about the token of another', async () => {
    const { access_token } = await client.ask();
    const other = await newClient(world.admin, server);
    const who = { client_id: other.client_id };
    const auth = oauth.ClientSecretBasic(other.client_secret);
    const answer = await oauth.introspectionRequest(server, who, auth, access_token, insecure);
    expect(await oauth.processIntrospectionResponse(server, who, answer)).toEqual({
      active: false,
    });
  });
});

describe('what the server keeps sealed', () => {
  it('is the same on every node, and of no use under another SVC_SECRET_KEY', async () => {
    const mine = await signingKey(world.app);
    expect(await signingKey(otherNode(world.app))).toEqual(mine);
    expect(await clientMetadata(world.app, client.client_id)).toMatchObject({
      client_secret: client.client_secret,
    });
    const keys = deriveKeys('another secret key of another installation');
    const moved = otherNode(world.app, { keys });
    expect(await clientMetadata(moved, client.client_id)).toBeUndefined();
    const fresh = await signingKey(moved);
    expect(fresh).toMatchObject({ kty: 'EC', alg: 'ES256' });
    expect(fresh.x).not.toBe(mine.x);
  });
});
