import { expect, it } from 'vitest';

import { clients } from '../support/people/mcp.ts';
import {
  discover,
  refresh,
  refusal,
  registerApp,
  tokensFor,
} from '../support/people/oauth-client.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const split = started(startSplit);
const server = prepared(() => discover(split.base));
const client = prepared(() => registerApp(server));

it('with the auth center elsewhere, a login through the gateway ends in tokens the gateway takes', async () => {
  expect(server.issuer).toBe(split.base);
  const tokens = await tokensFor(split.base, server, client);
  for (const connect of Object.values(clients)) {
    const agent = await connect(split.base, tokens.access);
    expect((await agent.list()).length).toBeGreaterThan(5);
    await agent.close();
  }
  const next = await refresh(server, client, tokens.refresh);
  await split.admin.data('/api/v3/auth/token/cancel', {});
  split.clock.shift(1_001);
  const answer = await fetch(`${split.base}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${next.access_token}` },
  });
  expect(answer.status).toBe(401);
  expect(await refusal(refresh(server, client, String(next.refresh_token)))).toEqual({
    status: 400,
    error: 'invalid_grant',
  });
});
