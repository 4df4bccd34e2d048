import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import {
  addProvider,
  change,
  changed,
  keptKey,
  listed,
  startProviderWorld,
} from '../support/neighbours/providers.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { prepared, started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';

const vendors = started(startProviderWorld);
const world = prepared(() => vendors.world);
const openai = prepared(() => vendors.openai);
const claude = prepared(() => vendors.claude);

async function firstOf(session: Session): Promise<string> {
  const [first] = await listed(session);
  if (!first) throw new Error('there is no provider');
  return first.id;
}

describe('a model provider', () => {
  it('is added with R201 and its id, and is listed with everything but its key', async () => {
    const tenant = await world.tenant('adding');
    const { status, body } = await tenant.post(`${AGENTIC}/provider/config/add`, {
      name: 'vendor',
      providerType: 'ANTHROPIC',
      baseUrl: `${claude.baseUrl}/`,
      apiKey: 'sk-1',
      model: 'claude-a',
      remark: 'ours',
    });
    expect([status, body.code]).toEqual([200, 'R201']);
    const all = await tenant.get(`${AGENTIC}/provider/list`);
    expect(all.body.data).toEqual([
      {
        id: body.data,
        tenantId: tenant.tenantId,
        name: 'vendor',
        providerType: 'ANTHROPIC',
        baseUrl: claude.baseUrl,
        model: 'claude-a',
        hasApiKey: true,
        headerNames: [],
        proxy: '',
        timeouts: {},
        learned: {},
        defaultFlag: 'NOT_DEFAULT',
        enableFlag: 'ENABLE',
        remark: 'ours',
        creatorId: expect.any(String),
        creatorName: 'adding-admin',
        createTime: expect.any(String),
        operatorId: expect.any(String),
        operatorName: 'adding-admin',
        operateTime: expect.any(String),
      },
    ]);
    expect(await keptKey(world, tenant, String(body.data))).toMatch(/^enc:v1:[\w-]{20,}$/);
  });

  it.each([
    [0, 'OPENAI_COMPATIBLE'],
    ['1', 'ANTHROPIC'],
    ['openai-compatible', 'OPENAI_COMPATIBLE'],
    ['ANTHROPIC', 'ANTHROPIC'],
    [undefined, 'OPENAI_COMPATIBLE'],
  ])('of type %s is %s', async (providerType, name) => {
    const given = { name: `type ${providerType}`, providerType, baseUrl: claude.baseUrl };
    const id = await addProvider(world.admin, given);
    expect((await listed(world.admin)).find((one) => one.id === id)).toMatchObject({
      providerType: name,
    });
  });

  it.each([
    [{ name: 'x!' }, 400],
    [{ providerType: 99 }, 400],
    [{ baseUrl: 'ftp://models.example.org' }, 400],
    [{ baseUrl: 'models.example.org' }, 400],
    [{ baseUrl: 'https://me:pw@models.example.org' }, 400],
    [{ baseUrl: 'https://models.example.org/?key=1' }, 400],
    [{ apiKey: 'a b' }, 400],
    [{ apiKey: 'a\nx-evil: 1' }, 400],
    [{ apiKey: 'schlüssel' }, 400],
    [{ baseUrl: 'http://127.0.0.1:1/v1' }, 422],
    [{ baseUrl: 'http://[::1]/v1' }, 422],
    [{ baseUrl: 'http://169.254.169.254/latest' }, 422],
    [{ baseUrl: 'http://0x7f000001/' }, 422],
    [{ baseUrl: 'https://10.1.2.3' }, 422],
  ])('is refused with %j', async (wrong, status) => {
    const body = { name: 'refused', baseUrl: openai.baseUrl, ...wrong };
    const added = await world.admin.post(`${AGENTIC}/provider/config/add`, body);
    expect(added.status).toBe(status);
    const id = await firstOf(world.admin);
    expect((await change(world.admin, { id, ...wrong })).status).toBe(status);
  });

  it('has a name of its own in the tenant, and may share it with another tenant', async () => {
    const [a, b] = [await world.tenant('names-a'), await world.tenant('names-b')];
    const body = { name: 'same', baseUrl: openai.baseUrl };
    await addProvider(a, body);
    await addProvider(b, body);
    const again = await a.post(`${AGENTIC}/provider/config/add`, body);
    expect([again.status, again.body.message]).toEqual([
      409,
      'The model provider name is already taken',
    ]);
    const id = await addProvider(a, { ...body, name: 'other' });
    expect((await change(a, { id, name: 'same' })).status).toBe(409);
  });

  it('cannot be deleted while it has models, and takes its key along', async () => {
    const tenant = await world.tenant('deleting');
    const id = await addProvider(tenant, { name: 'ours', baseUrl: openai.baseUrl, apiKey: 'sk-1' });
    const config = String(
      await tenant.data(`${AGENTIC}/model/config/add`, { model: 'm', providerId: id }),
    );
    const refused = await tenant.post(`${AGENTIC}/provider/config/delete`, undefined, { id });
    expect([refused.status, refused.body.message]).toEqual([
      409,
      'The model provider is in use: it still has the model "m"',
    ]);
    await tenant.data(`${AGENTIC}/model/config/delete`, { id: config });
    expect(await tenant.data(`${AGENTIC}/provider/config/delete`, { id })).toBe(true);
    expect(await listed(tenant)).toEqual([]);
    expect((await tenant.post(`${AGENTIC}/provider/config/delete`, { id })).status).toBe(404);
  });

  it('is for who may change providers; reading the list is another right', async () => {
    const reader = await worker(world.admin, ['svc-center-agentic:provider:list']);
    expect((await reader.session.get(`${AGENTIC}/provider/list`)).status).toBe(200);
    const id = await firstOf(world.admin);
    for (const [path, body] of [
      ['add', { name: 'mine', baseUrl: openai.baseUrl }],
      ['update', { id, name: 'mine' }],
      ['check', { id }],
      ['delete', { id }],
    ] as const) {
      const { status } = await reader.session.post(`${AGENTIC}/provider/config/${path}`, body);
      expect(status, path).toBe(403);
    }
  });
});

describe('a default', () => {
  const defaults = async (session: Session, path: string): Promise<string[]> =>
    z
      .array(z.looseObject({ id: z.string(), defaultFlag: z.string() }))
      .parse(await session.data(`${AGENTIC}/${path}`))
      .flatMap(({ id, defaultFlag }) => (defaultFlag === 'DEFAULT' ? id : []));

  it('takes the place of the one before, for providers and for models', async () => {
    const tenant = await world.tenant('defaulting');
    const base = { baseUrl: openai.baseUrl, defaultFlag: 'DEFAULT' };
    const first = await addProvider(tenant, { ...base, name: 'first' });
    const second = await addProvider(tenant, { ...base, name: 'second' });
    expect(await defaults(tenant, 'provider/list')).toEqual([second]);
    await changed(tenant, { id: first, defaultFlag: 1 });
    expect(await defaults(tenant, 'provider/list')).toEqual([first]);
    await changed(tenant, { id: first, defaultFlag: 'NOT_DEFAULT' });
    expect(await defaults(tenant, 'provider/list')).toEqual([]);
    const other = await world.tenant('other-default');
    await addProvider(other, { ...base, name: 'first' });
    expect(await defaults(tenant, 'provider/list')).toEqual([]);
    const missing = await change(tenant, { id: '999999', defaultFlag: 'DEFAULT' });
    expect(missing.status).toBe(404);
  });

  it('is exactly one however many want to be it at once', async () => {
    const tenant = await world.tenant('racing');
    const base = { baseUrl: openai.baseUrl };
    const ids = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) => addProvider(tenant, { ...base, name: `provider ${n}` })),
    );
    const add = (n: number, path: string, body: object) =>
      tenant.data(`${AGENTIC}/${path}/add`, { ...body, defaultFlag: n % 2 });
    for (let round = 0; round < 3; round += 1) {
      await Promise.all([
        ...ids.map((id) => changed(tenant, { id, defaultFlag: 'DEFAULT' })),
        ...[1, 3, 5].map((n) =>
          add(n, 'provider/config', { ...base, name: `added ${round} ${n}` }),
        ),
        ...[1, 3, 5].map((n) =>
          add(n, 'model/config', { model: `m-${round}-${n}`, providerId: ids[0] }),
        ),
      ]);
      expect(await defaults(tenant, 'provider/list')).toHaveLength(1);
      expect(await defaults(tenant, 'model/config/list')).toHaveLength(1);
    }
    // Also among those one of which is the default already.
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(ids.map((id) => changed(tenant, { id, defaultFlag: 'DEFAULT' })));
      expect(await defaults(tenant, 'provider/list')).toHaveLength(1);
    }
  });
});

describe('a model config', () => {
  it('answers what it was given, is changed and is gone', async () => {
    const tenant = await world.tenant('configuring');
    const providerId = await addProvider(tenant, { name: 'ours', baseUrl: openai.baseUrl });
    const path = `${AGENTIC}/model/config`;
    const { status, body } = await tenant.post(`${path}/add`, { model: 'm-1', providerId });
    expect([status, body.code]).toEqual([200, 'R201']);
    const fresh = {
      id: body.data,
      model: 'm-1',
      label: '',
      providerId,
      providerName: 'ours',
      stream: true,
      toolCall: true,
      vision: false,
      reasoning: false,
      temperature: 0.7,
      maxTokens: 2048,
      defaultFlag: 'NOT_DEFAULT',
      enableFlag: 'ENABLE',
      tenantId: tenant.tenantId,
    };
    expect(await tenant.data(`${path}/list`)).toMatchObject([fresh]);
    const given = { label: 'One', temperature: 1.5, maxTokens: 100, reasoning: true };
    const { id } = fresh;
    expect(await tenant.data(`${path}/update`, { id, ...given })).toMatchObject({
      ...fresh,
      ...given,
    });
    for (const [wrong, refused] of [
      [{ temperature: 2.1 }, 400],
      [{ maxTokens: 0 }, 400],
      [{ model: ' ' }, 400],
      [{ toolCall: 'yes' }, 400],
      [{ providerId: '999999' }, 404],
    ] as const) {
      expect((await tenant.post(`${path}/update`, { id, ...wrong })).status).toBe(refused);
    }
    const again = await tenant.post(`${path}/add`, { model: 'm-1', providerId });
    expect([again.status, again.body.message]).toEqual([409, 'The model already exists']);
    expect(await tenant.data(`${path}/delete`, { id })).toBe(true);
    expect((await tenant.post(`${path}/delete`, { id })).status).toBe(404);
    expect((await tenant.post(`${path}/update`, { id, label: 'x' })).status).toBe(404);
  });
});
