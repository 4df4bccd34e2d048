import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { propose } from '../../src/agentic/propose/action.ts';
import { bearerFor, programFor } from '../support/people/bearer.ts';
import { type Listening, listenTo } from '../support/people/listening.ts';
import { speak } from '../support/people/mcp-session.ts';
import type { Session } from '../support/people/session.ts';
import { happens, recovers } from '../support/runs/happenings.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { agentIn, onboard } from '../tools/agent.ts';

const Accounts = z.object({
  records: z.array(z.object({ id: z.string(), principalId: z.string() })),
});
const ACTIVE = 'svc://alarm/active';

describe('subscriptions/listen', () => {
  let world: World;
  let tenant: Session;
  let token: string;
  const open: Listening[] = [];
  const listen = async (uris: readonly string[], by = token): Promise<Listening> => {
    const listening = await listenTo(world.base, by, uris);
    open.push(listening);
    return listening;
  };
  const isTold = ({ told }: Listening, uri: string) =>
    eventually(
      async () => told,
      (uris) => uris.includes(uri),
    );
  const alarm = (message = 'It is too warm', session = tenant) =>
    happens(world, { tenantId: session.tenantId, message });

  beforeAll(async () => {
    world = await startWorld();
    tenant = await world.tenant('listen');
    token = await bearerFor(tenant, { scope: 'svc:read' });
  });
  afterAll(async () => {
    for (const { close } of open) close();
    await world.stop();
  });

  it('tells of the resources that a change alters, and of no others', async () => {
    const site = await onboard(tenant, 'listened');
    const first = await alarm();
    const proposal = { deviceId: site.deviceId, pointId: site.pointId, value: '21' };
    const { actionId } = await propose(world.app, agentIn(tenant), proposal);
    const uris = [
      ACTIVE,
      `svc://alarm/${first}`,
      `svc://action/${actionId}`,
      'svc://action/pending',
      `svc://device/${site.deviceId}`,
    ];
    const listening = await listen(uris);
    expect(listening.honored).toEqual(uris);
    await recovers(world, { tenantId: tenant.tenantId, alarmId: first });
    await isTold(listening, `svc://alarm/${first}`);
    await isTold(listening, ACTIVE);
    expect(new Set(listening.told)).toEqual(new Set([ACTIVE, `svc://alarm/${first}`]));
    await tenant.data('/api/v3/agentic/action/reject', { action_id: actionId });
    await isTold(listening, 'svc://action/pending');
    await isTold(listening, `svc://action/${actionId}`);
    expect(listening.told).not.toContain(`svc://device/${site.deviceId}`);
  });

  it('takes of the URIs those that the caller may read and that changes alter', async () => {
    const only = await programFor(tenant, { scope: 'svc:read', roleCode: 'viewer' });
    const listening = await listen(
      [ACTIVE, 'svc://alarm/x', 'svc://nothing', 'svc://device/1/point', 'svc://device/1'],
      only.token,
    );
    expect(listening.honored).toEqual([ACTIVE, 'svc://device/1']);
    const proposer = await bearerFor(tenant, { scope: 'svc:propose' });
    const none = await listen([ACTIVE], proposer);
    expect(none.honored).toEqual([]);
    expect((await none.ended)?.result).toMatchObject({ resultType: 'complete' });
  });

  it('tells nothing of another tenant', async () => {
    const other = await world.tenant('listen-other');
    const listening = await listen([ACTIVE, 'svc://alarm/1', 'svc://action/pending']);
    const theirs = await listen([ACTIVE], await bearerFor(other, { scope: 'svc:read' }));
    for (let n = 0; n < 20; n += 1) await alarm('Theirs', other);
    await isTold(theirs, ACTIVE);
    expect(listening.told).toEqual([]);
  });

  it('tells once a second of a URI, and of the last change too', async () => {
    const listening = await listen([ACTIVE]);
    const begin = performance.now();
    for (let n = 0; n < 30; n += 1) await alarm();
    await eventually(
      async () => listening.told.length,
      (count) => count >= 2,
    );
    const seconds = (performance.now() - begin) / 1_000;
    expect(listening.told.length).toBeLessThanOrEqual(seconds + 2);
  });

  it('leaves its place to the next one when the client leaves', async () => {
    const busy = await bearerFor(tenant, { scope: 'svc:read' });
    const streams: Listening[] = [];
    for (let n = 0; n < 64; n += 1) streams.push(await listen([ACTIVE], busy));
    const refused = await listen([ACTIVE], busy);
    expect((await refused.ended)?.error?.message).toContain('Too many');
    for (const { close } of streams) close();
    await eventually(
      () => listen([ACTIVE], busy),
      ({ honored }) => honored.length > 0,
    );
  });

  it('ends when the rights of the caller end', async () => {
    const { token: theirs, principalId } = await programFor(tenant, { scope: 'svc:read' });
    const listening = await listen([ACTIVE], theirs);
    const mine = await listen([ACTIVE]);
    const list = await tenant.data('/api/v3/auth/service_account/list', { principalId });
    const account = Accounts.parse(list).records.find((one) => one.principalId === principalId);
    await tenant.data('/api/v3/auth/service_account/disable', { id: account?.id });
    expect((await listening.ended)?.result).toMatchObject({ resultType: 'complete' });
    const told = [listening.told.length, mine.told.length];
    await alarm();
    await eventually(
      async () => mine.told.length,
      (count) => count > (told[1] ?? 0),
    );
    expect(listening.told).toHaveLength(told[0] ?? 0);
  });

  it('ends with the token', async () => {
    const listening = await listen([ACTIVE]);
    world.clock.shift(16 * 60_000);
    const { length } = listening.told;
    await alarm();
    expect((await listening.ended)?.result).toMatchObject({ resultType: 'complete' });
    expect(listening.told).toHaveLength(length);
  });
});

describe('resources/subscribe, in a session of the revisions before', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  it('tells of what is subscribed to, until it is unsubscribed or may not be read', async () => {
    const { tenantId } = world.admin;
    const session = await speak(
      world.base,
      await bearerFor(world.admin, { scope: 'svc:read', roleCode: 'viewer' }),
    );
    const ask = async (method: string, uri: string) =>
      (await session.send({ method, params: { uri } })).text();
    const stream = (await session.listen()).body?.pipeThrough(new TextDecoderStream());
    let heard = '';
    const reading = (async () => {
      for await (const piece of stream ?? []) heard += piece;
    })().catch(() => {});
    const alarmId = await happens(world, { tenantId });
    expect(await ask('resources/subscribe', `svc://alarm/${alarmId}`)).toContain('"result":{}');
    expect(await ask('resources/subscribe', 'svc://device/1')).toContain('"result":{}');
    for (const unknown of ['svc://nothing', 'svc://alarm/x', 'svc://device/1/point'])
      expect(await ask('resources/subscribe', unknown)).toContain('Resource not found');
    await recovers(world, { tenantId, alarmId });
    await eventually(
      async () => heard,
      (text) => text.includes(`"uri":"svc://alarm/${alarmId}"`),
    );
    expect(heard).toContain('notifications/resources/updated');
    expect(await ask('resources/unsubscribe', `svc://alarm/${alarmId}`)).toContain('"result":{}');
    heard = '';
    const again = await happens(world, { tenantId });
    await ask('resources/subscribe', `svc://alarm/${again}`);
    await recovers(world, { tenantId, alarmId: again });
    await eventually(
      async () => heard,
      (text) => text.includes(`"uri":"svc://alarm/${again}"`),
    );
    expect(heard).not.toContain(`"uri":"svc://alarm/${alarmId}"`);
    await session.close();
    await reading;
  });
});
