import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { call, refuse, type Reply, say, type Sent } from '../support/neighbours/model.ts';
import { programFor } from '../support/people/bearer.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { approvalsIn } from '../support/runs/approvals/approvals.ts';
import { prepared, started } from '../support/world/prepared.ts';

/** A write that a standing approval decides within a turn (docs/specification/assistant.md, Facts). */
const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const ours = prepared(() => approvalsIn(chatWorld.world, session));
const site = prepared(async () => {
  await ours.turn(true);
  return ours.site();
});
const program = prepared(async () => {
  const made = await programFor(session, { scope: 'svc:chat svc:propose', audience: 'api' });
  await ours.make(ours.wanted(made, site));
  return made;
});

const XSvc = z.object({
  conversation_id: z.string().nullable(),
  events: z.array(z.looseObject({ type: z.string() })),
});
const Answer = z.looseObject({
  x_svc: XSvc,
  error: z.object({ message: z.string() }).optional(),
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]).optional(),
});

async function ask(path: string, body: object) {
  const response = await fetch(`${session.base}/api/v3/agentic/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${program.token}` },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: Answer.parse(await response.json()) };
}
const question = (content: string) => ({ messages: [{ role: 'user', content }] });
const writing =
  (value: string, end: () => Reply) =>
  (sent: Sent): Reply =>
    inTurn(sent) === 0
      ? call(['writePointValue', { deviceId: site.deviceId, pointId: site.pointId, value }])
      : end();

const decided = expect.arrayContaining([
  expect.objectContaining({ type: 'action.decided' }),
  expect.objectContaining({ type: 'facts', proposed: 1 }),
]);

describe('a write that was decided beforehand', () => {
  it.each([
    ['chat/completions', question('set it')],
    ['responses', { input: 'set it', store: false }],
  ])('is in the error of a turn that failed: %s', async (path, asked) => {
    await ours.report(site, 20);
    chatWorld.answer(writing('21', () => refuse(400, {}, '{"error":{"message":"bad"}}')));
    const { status, body } = await ask(path, asked);
    expect([status, body.error?.message]).toEqual([422, expect.stringContaining('refused')]);
    expect(body.x_svc.events).toEqual(decided);
    expect(body.x_svc.conversation_id).toEqual(expect.any(String));
  });

  it('is said in the answer, and its end in the next turn of its conversation', async () => {
    await ours.report(site, 20);
    chatWorld.answer(writing('20.5', () => say('Done.')));
    const { body } = await ask('chat/completions', question('set it back'));
    expect(body.x_svc.events).toEqual(decided);
    const content = body.choices?.[0].message.content ?? '';
    expect(content).toMatch(/\n> At .*20\.5/);
    expect(content).toMatch(/\n> \[?proposed 1(\]\(\S+\))? · written (1|0 · sent 1) · read/);
    const conversationId = body.x_svc.conversation_id;
    expect(conversationId).toEqual(expect.any(String));
    chatWorld.answer(() => say('It is.'));
    await ask('chat/completions', { ...question('is it?'), conversationId });
    expect(JSON.stringify(chatWorld.model.requests.at(-1)?.messages)).toContain('20.5');
  });
});
