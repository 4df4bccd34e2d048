import { beforeAll, describe, expect, it } from 'vitest';

import { call, type FakeModel, say, startModel } from '../support/neighbours/model.ts';
import { programFor } from '../support/people/bearer.ts';
import { inTurn } from '../support/people/chat-world.ts';
import { approvalsIn } from '../support/runs/approvals/approvals.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

/** A vendor answers with a call of a tool that the request did not offer (docs/specification/assistant.md). */
const model = started((): Promise<FakeModel> =>
  startModel((sent) =>
    inTurn(sent) === 0
      ? call(['writePointValue', { deviceId: site.deviceId, pointId: site.pointId, value: 21 }])
      : say('Well.'),
  ),
);
const world = started(() =>
  startWorld({
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'k',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
    },
  }),
);
const site = prepared(() => onboardVirtual(world, 'plant'));
/** A service account that a standing approval lets write the value that the vendor calls for. */
let bearer = '';
let approvalId = '';
const ours = () => approvalsIn(world, world.admin);
beforeAll(async () => {
  await ours().turn(true);
  await ours().report(site, 20);
  const program = await programFor(world.admin, {
    scope: 'svc:chat svc:propose svc:read',
    audience: 'api',
  });
  bearer = `Bearer ${program.token}`;
  ({ approvalId } = await ours().make(ours().wanted(program, site)));
});

const ONLY_SEARCH = {
  type: 'allowed_tools',
  allowed_tools: {
    mode: 'auto',
    tools: [{ type: 'function', function: { name: 'searchDevices' } }],
  },
};
const user = (content: string) => ({ messages: [{ role: 'user', content }] });
const requests: [string, object][] = [
  ['tool_choice none', { ...user('write'), tool_choice: 'none' }],
  ['allowed_tools without it', { ...user('write'), tool_choice: ONLY_SEARCH }],
  ['a task of the chat program', { ...user('write'), metadata: { task: 'title_generation' } }],
  ['the prompt of a task', user('### Task:\nGenerate a title\n### Output:\nJSON')],
  [
    'tool_choice none in a conversation',
    { ...user('write'), tool_choice: 'none', conversationId: 'n' },
  ],
];

/** Asks, and reads the answer to its end. */
async function ask(
  path: string,
  body: object,
  headers: Record<string, string> = world.admin.headers,
): Promise<void> {
  const answer = await fetch(`${world.admin.base}/api/v3/agentic/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

const actions = () => world.admin.data('/api/v3/agentic/action/search', {});

/** What the vendor was sent as the result of its call. */
const resultSent = () =>
  model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content;

describe('a tool that the request did not offer', () => {
  it.each(
    requests.flatMap(([title, body]) => [
      [title, 'at once', { ...body, stream: false }] as const,
      [title, 'streamed', { ...body, stream: true }] as const,
    ]),
  )('is not run: %s, %s', async (_title, _how, body) => {
    const before = model.requests.length;
    await ask('chat/completions', body);
    expect(model.requests).toHaveLength(before + 2);
    expect(resultSent()).toContain('There is no tool writePointValue');
    expect(await actions()).toMatchObject({ actions: [] });
  });

  it.each([false, true])(
    'is not run over the Responses API either, streamed: %s',
    async (stream) => {
      const body = { input: 'write', tool_choice: 'none', stream };
      await ask('responses', body);
      expect(resultSent()).toContain('There is no tool writePointValue');
      expect(await actions()).toMatchObject({ actions: [] });
    },
  );

  it('is not written either where a standing approval would decide it', async () => {
    const asked = requests.map(([, body]) => ['chat/completions', body] as const);
    const none = { input: 'write', tool_choice: 'none' };
    for (const [path, body] of [...asked, ['responses', none] as const])
      for (const stream of [false, true]) {
        await ask(path, { ...body, stream }, { authorization: bearer });
        expect(resultSent()).toContain('There is no tool writePointValue');
      }
    const commands = () => world.admin.data('/api/v3/data/point_command_history/list', {});
    expect(await commands()).toMatchObject({ records: [] });
    expect(await ours().get(approvalId)).toMatchObject({ used: 0, left: 5 });
    // Where it is offered, the approval decides it.
    await ask('chat/completions', user('write'), { authorization: bearer });
    expect(await ours().get(approvalId)).toMatchObject({ used: 1, left: 4 });
  });

  it('leaves no conversation behind where the request was a task', async () => {
    const { body } = await world.admin.get('/api/v3/agentic/session/list');
    expect(JSON.stringify(body)).not.toContain('Generate a title');
  });
});
