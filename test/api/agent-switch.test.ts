import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { callTool, toolsFor } from '../../src/agentic/chat/loop/tool-call.ts';
import { confirm } from '../../src/agentic/decision/decision.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { beforeDispatch } from '../support/devices/before-dispatch.ts';
import { playDriver } from '../support/devices/played-driver.ts';
import { actionsIn } from '../support/people/actions.ts';
import { programFor } from '../support/people/bearer.ts';
import { listenTo } from '../support/people/listening.ts';
import { asking } from '../support/people/mcp-2026.ts';
import { clients as eras, type McpClient } from '../support/people/mcp.ts';
import type { Session } from '../support/people/session.ts';
import { otherGateway } from '../support/world/other-node.ts';
import { prepared, started, startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const auth = '/api/v3/auth';
const SCOPE = 'svc:read svc:read-device svc:propose';
const [open] = Object.values(eras);

const world = startedWorld();
const tenant = prepared(() => world.tenant('stopped'));
const other = prepared(() => world.tenant('free'));
const actions = prepared(() => actionsIn(world, tenant));
const site = prepared(() => actions.site());

const turn = (mode: string, more: object = {}, by = tenant) =>
  by.data(`${auth}/mcp/switch/set`, { mode, ...more });
/** The admin in the chat. */
function person(): Caller {
  const { clientId: _, scopes: __, ...known } = agentIn(tenant);
  return { ...known, principalType: 'USER', via: 'login' };
}
const Program = z.object({ id: z.string() });

/** A client of a program of its own. */
async function program(by: Session) {
  const made = await programFor(by, { scope: SCOPE });
  const client = await open?.(world.base, made.token);
  if (!client) throw new Error('no client');
  return { ...made, client };
}
const write = (client: McpClient, value: number) =>
  client.call('writePointValue', { deviceId: site.deviceId, pointId: site.pointId, value });
const refusal = async (called: Promise<unknown>): Promise<string> =>
  JSON.stringify(await called.catch((error: unknown) => String(error)));

describe('agents that may only read', () => {
  it('propose nothing, in words that name the switch, and see their tools and read as before', async () => {
    const { client } = await program(tenant);
    const before = (await client.list()).map(({ name }) => name);
    expect(before).toContain('writePointValue');
    await turn('READ_ONLY', { reason: 'The burner is being serviced' });
    expect((await client.list()).map(({ name }) => name)).toEqual(before);
    const refused = await write(client, 21);
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain(
      'Agents only read in this tenant now: “The burner is being serviced”. Nothing was proposed',
    );
    expect((await client.call('searchDevices')).isError).toBeFalsy();
    await turn('ON');
    expect((await write(client, 21)).isError).toBeFalsy();
    await client.close();
  });

  it('have nothing sent that they proposed before; it can be confirmed once they may write', async () => {
    const { actionId } = await actions.proposeIn(site, '22');
    await turn('READ_ONLY');
    const refused = await actions.decide('confirm', actionId);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        message: expect.stringContaining('Agents only read in this tenant now. Nothing was sent'),
        data: { actionId, status: 'PENDING', switch: 'tenant', mode: 'READ_ONLY' },
      },
    });
    expect(await actions.commandsOf(actionId)).toEqual([]);
    await turn('ON');
    expect((await actions.decide('confirm', actionId)).status).toBe(200);
    expect(await actions.commandsOf(actionId)).toHaveLength(1);
  });

  it('can be those of one connection', async () => {
    const { client, clientId, principalId } = await program(tenant);
    const { client: free } = await program(tenant);
    const { id } = Program.parse(await tenant.data(`${auth}/mcp/connection/add`, { clientId }));
    const toolIds = ['searchDevices', 'writePointValue'];
    await tenant.data(`${auth}/mcp/connection/tools/replace`, { connectionId: id, toolIds });
    const proposer = { ...agentIn(tenant), principalId, clientId };
    const { actionId } = await actions.proposeIn(site, '17', {}, proposer);
    const readOnly = (value: boolean) =>
      tenant.data(`${auth}/mcp/connection/read_only`, { id, readOnly: value });
    expect(await readOnly(true)).toMatchObject({ id, readOnlyFlag: 1 });
    expect(await refusal(write(client, 18))).toContain('Agents only read for this connection now');
    expect((await client.list()).map(({ name }) => name).toSorted()).toEqual(toolIds);
    expect((await write(free, 19)).isError).toBeFalsy();
    expect((await actions.decide('confirm', actionId)).status).toBe(409);
    expect(await readOnly(false)).toMatchObject({ readOnlyFlag: 0 });
    expect((await write(client, 18)).isError).toBeFalsy();
    expect((await actions.decide('confirm', actionId)).status).toBe(200);
    const foreign = await other.post(`${auth}/mcp/connection/read_only`, { id, readOnly: true });
    expect(foreign.status).toBe(404);
    await client.close();
    await free.close();
  });

  it('are those of one connection also in the chats of its client', async () => {
    const { clientId, principalId } = await programFor(tenant, { scope: SCOPE });
    const { id } = Program.parse(await tenant.data(`${auth}/mcp/connection/add`, { clientId }));
    const toolIds = ['writePointValue'];
    await tenant.data(`${auth}/mcp/connection/tools/replace`, { connectionId: id, toolIds });
    const call = {
      id: 'one',
      name: 'writePointValue',
      arguments: JSON.stringify({ deviceId: site.deviceId, pointId: site.pointId, value: 15 }),
    };
    const proposer = { ...agentIn(tenant), principalId, clientId };
    const { actionId } = await callTool(world.app, proposer, call, {
      conversationId: 'a conversation',
      offered: world.app.tools,
    });
    await tenant.data(`${auth}/mcp/connection/read_only`, { id, readOnly: true });
    expect(await actions.decide('confirm', actionId ?? '')).toMatchObject({
      status: 409,
      body: { data: { switch: 'connection' } },
    });
  });

  it('are not those of a connection that was revoked, while another of the client is active', async () => {
    const { clientId, principalId } = await programFor(tenant, { scope: SCOPE });
    const add = async (connectionName: string) =>
      Program.parse(await tenant.data(`${auth}/mcp/connection/add`, { clientId, connectionName }));
    const { id } = await add('a');
    await add('b');
    await tenant.data(`${auth}/mcp/connection/read_only`, { id, readOnly: true });
    const proposer = { ...agentIn(tenant), principalId, clientId };
    const { actionId } = await actions.proposeIn(site, '16', {}, proposer);
    expect((await actions.decide('confirm', actionId)).status).toBe(409);
    await tenant.data(`${auth}/mcp/connection/revoke`, {}, { id });
    expect((await actions.decide('confirm', actionId)).status).toBe(200);
  });
});

describe('agents that are switched off', () => {
  it('get nothing, in words that name the switch, and others go on', async () => {
    const { client } = await program(tenant);
    const { client: free } = await program(other);
    await turn('OFF');
    const words = 'Agents are switched off in this tenant';
    await expect(client.list()).rejects.toThrow(words);
    await expect(client.call('searchDevices')).rejects.toThrow(words);
    await expect(client.read('svc://alarm/active')).rejects.toThrow(words);
    expect((await free.call('searchDevices')).isError).toBeFalsy();
    const caller = person();
    await expect(toolsFor(world.app, caller)).rejects.toMatchObject({ status: 403 });
    const call = { id: 'c', name: 'searchDevices', arguments: '{}' };
    const outcome = await callTool(world.app, caller, call, {
      conversationId: 'talk',
      offered: world.app.tools,
    });
    expect(outcome).toMatchObject({ status: 'failed', content: expect.stringContaining(words) });
    await turn('ON');
    expect((await client.call('searchDevices')).isError).toBeFalsy();
    await client.close();
    await free.close();
  });

  it('end what they listen to and wait for', async () => {
    const { token } = await program(tenant);
    const listening = await listenTo(world.base, token, ['svc://alarm/active']);
    const waiting = asking(world.base, token)('tools/call', {
      name: 'waitForEvents',
      arguments: { kinds: ['alarm'], waitS: 60 },
    });
    await asking(world.base, token)('tools/call', { name: 'searchDevices', arguments: {} });
    await turn('OFF');
    expect(await listening.ended).toMatchObject({ result: { resultType: 'complete' } });
    expect(JSON.stringify(await waiting)).toContain('Agents are switched off in this tenant');
    const again = await listenTo(world.base, token, ['svc://alarm/active']);
    expect(again.honored).toEqual([]);
    await turn('ON');
  });

  it('have the receipt of what was sent before, and nothing more is sent', async () => {
    const driver = await playDriver(world, tenant, site);
    const { actionId } = await actions.proposeIn(site, '23');
    const { actionId: late } = await actions.proposeIn(site, '24');
    expect((await actions.decide('confirm', actionId)).status).toBe(200);
    const [sent] = await actions.commandsOf(actionId);
    const { commandId } = await driver.command(sent?.commandId ?? '');
    await turn('OFF');
    expect((await actions.decide('confirm', late)).status).toBe(409);
    await driver.answer(commandId, { responseValue: '23', readBack: '23' });
    expect(await actions.actionOf(actionId)).toMatchObject({ status: 'EXECUTED' });
    expect(await actions.commandsOf(late)).toEqual([]);
    expect((await actions.decide('reject', late)).status).toBe(200);
    await turn('ON');
  });

  it('have nothing sent that was confirmed a moment before', async () => {
    const { actionId } = await actions.proposeIn(site, '25');
    const app = beforeDispatch(world.app, () => turn('OFF'));
    const confirming = confirm(app, person(), { actionId, comment: '', waitMs: 0 });
    await expect(confirming).rejects.toMatchObject({
      status: 412,
      message: expect.stringContaining('Agents are switched off in this tenant'),
    });
    expect(await actions.actionOf(actionId)).toMatchObject({ status: 'PENDING', commandId: null });
    await turn('ON');
  });
});

describe('a process that did not turn the switch', () => {
  const gateway = started(() => otherGateway(world.app));

  it('obeys with the first call after it, whatever it remembers, and forgets it as fast', async () => {
    const { token } = await programFor(tenant, { scope: SCOPE });
    const elsewhere = asking(gateway.base, token);
    const read = async () => elsewhere('tools/call', { name: 'searchDevices', arguments: {} });
    const target = { deviceId: site.deviceId, pointId: site.pointId };
    const propose = async (value: number) =>
      elsewhere('tools/call', { name: 'writePointValue', arguments: { ...target, value } });
    for (let round = 0; round < 10; round += 1) {
      expect((await read()).result).toMatchObject({ structuredContent: expect.anything() });
      await turn('OFF');
      expect((await read()).error?.message).toContain('Agents are switched off in this tenant');
      await turn('READ_ONLY');
      expect((await read()).result).toMatchObject({ structuredContent: expect.anything() });
      const refused = await propose(10 + round);
      expect(JSON.stringify(refused.result)).toContain('Agents only read in this tenant now');
      await turn('ON');
    }
    expect((await propose(20)).result).toMatchObject({ structuredContent: expect.anything() });
  });

  it('ends what is listened to there', async () => {
    const { token } = await programFor(tenant, { scope: SCOPE });
    const listening = await listenTo(gateway.base, token, ['svc://alarm/active']);
    await turn('OFF');
    expect(await listening.ended).toMatchObject({ result: { resultType: 'complete' } });
    await turn('ON');
  });
});

describe('the switch of the platform', () => {
  it('is turned by the platform tenant, and counts in every tenant', async () => {
    const { client } = await program(other);
    const refused = { mode: 'OFF', of: 'PLATFORM' };
    expect((await tenant.post(`${auth}/mcp/switch/set`, refused)).status).toBe(403);
    expect((await client.call('searchDevices')).isError).toBeFalsy();
    await turn('OFF', { of: 'PLATFORM', reason: 'Drill' }, world.admin);
    await expect(client.call('searchDevices')).rejects.toThrow(
      'Agents are switched off on the whole platform: “Drill”',
    );
    expect(await other.data(`${auth}/mcp/switch/get`)).toEqual({
      holdsTried: false,
      tried: [],
      mode: 'OFF',
      platform: 'OFF',
      tenant: 'ON',
      reason: 'Drill',
    });
    await turn('READ_ONLY', { of: 'PLATFORM' }, world.admin);
    await turn('OFF', {}, other);
    await expect(client.list()).rejects.toThrow('Agents are switched off in this tenant');
    await turn('ON', {}, other);
    expect((await client.call('searchDevices')).isError).toBeFalsy();
    await turn('ON', { of: 'PLATFORM' }, world.admin);
    await client.close();
  });

  it('is also the environment of a process', async () => {
    const { app } = world;
    const caller = person();
    const off = { ...app, config: { ...app.config, agents: 'OFF' as const } };
    await expect(toolsFor(off, caller)).rejects.toMatchObject({
      message: 'Agents are switched off on the whole platform.',
    });
    expect((await toolsFor(app, caller)).length).toBeGreaterThan(0);
  });

  it('is on record with the person that turned it', async () => {
    const rows = await tenant.data(`${auth}/identity_audit/list`, { resourceType: 'AGENT_SWITCH' });
    expect(rows).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'DISABLE',
          resourceId: tenant.tenantId,
          principalId: tenant.principalId,
          detailExt: { mode: 'OFF', reason: '' },
        }),
      ]),
    );
  });
});
