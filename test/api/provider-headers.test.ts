import { beforeEach, describe, expect, it } from 'vitest';

import { refuse } from '../support/neighbours/model.ts';
import {
  addProvider,
  change,
  changed,
  keptHeaders,
  listed,
  setRow,
  startProviderWorld,
} from '../support/neighbours/providers.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';
const SECRET = 'gateway-0123456789-secret';

const vendors = started(startProviderWorld);
const world = prepared(() => vendors.world);
const openai = prepared(() => vendors.openai);
const claude = prepared(() => vendors.claude);

beforeEach(() => vendors.answer(undefined));

describe('the headers of a provider', () => {
  const withHeaders = async (code: string, given: object = {}) => {
    const tenant = await world.tenant(code);
    const id = await addProvider(tenant, {
      name: 'ours',
      baseUrl: openai.baseUrl,
      model: 'm',
      apiKey: 'key',
      headers: { 'X-Gateway-Token': SECRET, 'x-project': 'plant 7' },
      ...given,
    });
    return { tenant, id };
  };

  it.each([
    ['OPENAI_COMPATIBLE', () => openai],
    ['ANTHROPIC', () => claude],
  ] as const)('are sent with each request to %s, and with its check', async (type, vendor) => {
    const { baseUrl } = vendor();
    const given = { providerType: type, baseUrl };
    const { tenant, id } = await withHeaders(`sent-${type.toLowerCase()}`, given);
    await chat(tenant, 'hi');
    await tenant.data(`${AGENTIC}/provider/config/check`, { id });
    for (const headers of vendor().headers.slice(-2))
      expect(headers).toMatchObject({
        authorization: 'Bearer key',
        'x-gateway-token': SECRET,
        'x-project': 'plant 7',
      });
  });

  it('go before the header of the key, for a gateway that wants another one there', async () => {
    const headers = { Authorization: 'Basic c3RlYW06a2V0dGxl', 'api-key': SECRET };
    const { tenant } = await withHeaders('instead', { headers });
    await chat(tenant, 'hi');
    expect(openai.headers.at(-1)).toMatchObject({
      authorization: headers.Authorization,
      'api-key': SECRET,
    });
  });

  it('are named in answers, and their values are in none, in no log and not in the change log', async () => {
    const { tenant, id } = await withHeaders('hidden');
    const echo = `{"error":{"message":"Wrong token: ${SECRET}"}}`;
    const answers: unknown[] = [];
    for (const status of [400, 401, 500]) {
      vendors.answer(refuse(status, {}, echo));
      answers.push(await chatAnswer(tenant, question('hi')));
    }
    answers.push(await tenant.get(`${AGENTIC}/provider/list`));
    const next = { 'x-gateway-token': `${SECRET}-next` };
    answers.push(await change(tenant, { id, headers: next }));
    const log = await tenant.data('/api/v3/data/change/list', {});
    expect(JSON.stringify(log)).toContain('"headers":["******","******"]');
    answers.push(log);
    expect(JSON.stringify(answers)).not.toContain(SECRET);
    expect(JSON.stringify(answers)).not.toContain('enc:v1:');
    expect(JSON.stringify(answers)).toContain('Wrong token: ***');
    expect(vendors.logged()).not.toContain(SECRET);
    expect(await listed(tenant)).toMatchObject([{ headerNames: ['x-gateway-token'] }]);
  });

  it('stay when other things change, and go when they are null or the address changes', async () => {
    const { tenant, id } = await withHeaders('staying');
    const named = { headerNames: ['x-gateway-token', 'x-project'] };
    expect(await changed(tenant, { id, name: 'renamed' })).toMatchObject(named);
    await chat(tenant, 'hi');
    expect(openai.headers.at(-1)).toMatchObject({ 'x-project': 'plant 7' });
    const elsewhere = `${openai.baseUrl}/elsewhere`;
    expect(await changed(tenant, { id, baseUrl: elsewhere })).toMatchObject({ headerNames: [] });
    const headers = { 'x-project': 'plant 8' };
    const back = { id, baseUrl: openai.baseUrl, headers };
    expect(await changed(tenant, back)).toMatchObject({ headerNames: ['x-project'] });
    await chat(tenant, 'hi');
    expect(openai.headers.at(-1)).toMatchObject(headers);
    expect(await changed(tenant, { id, headers: null })).toMatchObject({ headerNames: [] });
    await chat(tenant, 'hi');
    expect(openai.headers.at(-1)).not.toHaveProperty('x-project');
  });

  it('are refused where they are no headers, or those of the request itself', async () => {
    const { tenant, id } = await withHeaders('refused');
    for (const headers of [
      { host: 'elsewhere' },
      { 'Content-Length': '7' },
      { 'transfer-encoding': 'chunked' },
      { 'x y': 'z' },
      { 'x-a': 'b\r\nx-c: d' },
      { 'x-a': '' },
      { 'x-a': 'ümlaut' },
      ['x-a'],
      Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`x-${n}`, 'v'])),
    ])
      expect((await change(tenant, { id, headers })).status).toBe(400);
    expect(await listed(tenant)).toMatchObject([{ headerNames: ['x-gateway-token', 'x-project'] }]);
  });

  it('open nothing in another row', async () => {
    const { tenant, id } = await withHeaders('copied');
    const other = await addProvider(tenant, { name: 'copy', baseUrl: claude.baseUrl, model: 'c' });
    await setRow(world, tenant, other, { headers: await keptHeaders(world, tenant, id) });
    const before = claude.headers.length;
    expect((await chatAnswer(tenant, question('hi', { model: 'c' }))).status).toBe(404);
    expect(claude.headers).toHaveLength(before);
  });
});
