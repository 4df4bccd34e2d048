import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import * as anthropic from '../support/neighbours/anthropic-model.ts';
import { call, refuse, type Reply, say, stream, frame } from '../support/neighbours/model.ts';
import { type FakeModel, startFake } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';
const NAMES = ['answer', 'stream', 'system', 'tool', 'parallel', 'result', 'json', 'image', 'long'];

/** What a vendor of either dialect reads of a request here. */
const Request = z.looseObject({ messages: z.array(z.unknown()), tools: z.unknown().optional() });
let answer: (text: string, body: Record<string, unknown>) => Reply;
const vendor = started(() =>
  startFake(
    {
      read: (body) => Request.parse(body),
      keyOf: () => undefined,
      models: { data: [{ id: 'm' }], has_more: false },
      refusal: (message) => ({ error: { message } }),
    },
    (body) => answer(JSON.stringify(body), body),
  ),
);
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: new URL(vendor.baseUrl).host } }),
);
const tenant = prepared(() => world.admin);

const Checked = z.object({
  ok: z.boolean(),
  tries: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean().nullable(),
      reason: z.string(),
      ms: z.number(),
    }),
  ),
});
async function tried(session: Session, name: string, given: object = {}) {
  const baseUrl = vendor.baseUrl;
  const id = await addProvider(session, { name, baseUrl, ...given });
  const { ok, tries } = Checked.parse(
    await session.data(`${AGENTIC}/provider/config/check`, { id, model: 'm' }),
  );
  expect(tries.map((one) => one.name)).toEqual(NAMES);
  return { id, ok, tries, of: (wanted: string) => tries.find((one) => one.name === wanted) };
}

type Forms = { say: typeof say; call: (...rooms: string[]) => Reply };
const room = (name: string) => ['readTemperature', { room: name }] as [string, object];
const forms: Record<string, Forms> = {
  OPENAI_COMPATIBLE: { say, call: (...rooms) => call(...rooms.map(room)) },
  ANTHROPIC: { say: anthropic.say, call: (...rooms) => anthropic.call(...rooms.map(room)) },
};
/** A model that can all of it. */
const able =
  (form: Forms) =>
  (text: string): Reply => {
    if (text.includes('23.5')) return form.say('It is 23.5 °C.');
    if (text.includes('M2')) return form.call('K7', 'M2');
    if (text.includes('K7')) return form.call('K7');
    if (text.includes('kettle.')) return form.say('Kettle.');
    if (text.includes('product')) return form.say('{"product": 42}');
    if (text.includes('colour')) return form.say(text.includes('base64') ? 'Red.' : 'None.');
    const password = /The password is ([\w-]+)/.exec(text)?.[1];
    return form.say(password ?? 'one, two, three, four, five');
  };

describe('the check of a provider with a model', () => {
  it.each(Object.keys(forms))('says what a model can, in the dialect %s', async (providerType) => {
    const form = forms[providerType];
    if (!form) throw new Error('no such dialect');
    answer = able(form);
    const { ok, tries } = await tried(tenant, providerType, { providerType });
    expect(ok).toBe(true);
    expect(tries.filter((one) => one.ok !== true)).toEqual([]);
    expect(tries.every(({ reason }) => reason === '')).toBe(true);
  });

  it('says what a model cannot, and why', async () => {
    answer = (text, body) => {
      if (body['tools']) return refuse(400, {}, '{"error":{"message":"m has no tools"}}');
      if (text.includes('base64')) return refuse(500, { 'retry-after-ms': '1' });
      if (body['max_tokens'])
        return refuse(
          400,
          {},
          '{"error":{"message":"Unsupported parameter: max_tokens. Use max_completion_tokens instead."}}',
        );
      return stream(frame({ choices: [{ message: { content: 'Well.' }, finish_reason: 'stop' }] }));
    };
    const { id, of } = await tried(tenant, 'unable');
    expect(of('answer')).toMatchObject({ ok: true });
    expect(of('stream')).toMatchObject({ ok: null, reason: 'its answer came in one piece' });
    expect(of('system')).toMatchObject({ ok: false, reason: 'it said: Well.' });
    for (const name of ['tool', 'parallel', 'result'])
      expect(of(name)).toMatchObject({
        ok: false,
        reason: expect.stringContaining('m has no tools'),
      });
    expect(of('image')).toMatchObject({ ok: false, reason: expect.stringContaining('failed') });
    // What its refusals showed holds for the chat, too.
    expect(await tenant.data(`${AGENTIC}/provider/list`)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id,
          learned: { m: { rename: { max_tokens: 'max_completion_tokens' }, drop: [] } },
        }),
      ]),
    );
  });

  it('asks a model that does not answer no more than once', async () => {
    answer = () => (res) => void res.destroy();
    const before = asked(vendor);
    const { of } = await tried(tenant, 'away');
    expect(of('answer')).toMatchObject({ ok: false, reason: 'The model provider does not answer' });
    expect(of('tool')).toMatchObject({ ok: null, reason: 'not tried' });
    // With its repetitions.
    expect(asked(vendor) - before).toBe(3);
  });

  it('shows no secret, and is not for those that may not change providers', async () => {
    answer = () => refuse(401, {}, '{"error":{"message":"wrong key sk-kettle-9 given"}}');
    const { tries } = await tried(tenant, 'secret', { apiKey: 'sk-kettle-9' });
    expect(JSON.stringify(tries)).not.toContain('sk-kettle-9');
    expect(JSON.stringify(tries)).toContain('wrong key ***');
    const wrong = await tenant.post(`${AGENTIC}/provider/config/check`, { id: '1', model: ' ' });
    expect(wrong.status).toBe(400);
  });
});

const asked = ({ requests }: FakeModel<unknown>): number => requests.length;
