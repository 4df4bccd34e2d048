import { expect, it } from 'vitest';
import { z } from 'zod';

import { manualOf } from '../support/manuals/upload.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatFrames, Chunk } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

const Messages = z.array(
  z.looseObject({
    contentExt: z.looseObject({
      citations: z.array(z.looseObject({ value: z.number() })).optional(),
    }),
  }),
);

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const site = prepared(() => onboardVirtual(chatWorld.world, 'plant'));

it('carries the value behind its figure, streamed and as JSON, and keeps it', async () => {
  const { deviceId, pointId } = site;
  let value = '';
  chatWorld.answer((sent) => {
    if (inTurn(sent) === 0) return call(['readPointValue', { deviceId, pointId }]);
    const told: unknown = JSON.parse(sent.messages.at(-1)?.content ?? '{}');
    value = Number(z.looseObject({ value: z.string() }).parse(told).value).toFixed(1);
    return say(`It is ${value} now, not 99.9.`);
  });
  const { completion, events } = await chat(session, 'how warm?', { conversationId: 'cited' });
  const citation = events.find(({ type }) => type === 'citation');
  expect(citation).toMatchObject({
    ref: 1,
    start: 6,
    end: 6 + value.length,
    device_id: deviceId,
    point_id: pointId,
    device_name: 'plant device',
    as_of: expect.stringMatching(/^\d{4}-/),
    url: expect.stringMatching(new RegExp(`/console/devices/${deviceId}$`)),
  });
  expect(events.filter(({ type }) => type === 'citation')).toHaveLength(1);
  expect(JSON.stringify(completion)).not.toContain('99.9"');
  const { data } = await chatFrames(session, 'and now?', { conversationId: 'cited' });
  const chunks = data.slice(0, -1).map((text) => Chunk.parse(JSON.parse(text)));
  const annotated = chunks.filter(({ choices }) => choices[0]?.delta.annotations);
  expect(annotated).toHaveLength(1);
  expect(annotated[0]).toMatchObject({
    choices: [{ delta: { content: '', annotations: [{ type: 'url_citation' }] } }],
    x_svc: { type: 'citation', device_id: deviceId },
  });
  const asked = { conversation_id: 'cited' };
  const { body } = await session.get('/api/v3/agentic/message/list', asked);
  const kept = Messages.parse(body.data).map(({ contentExt }) => contentExt.citations?.length ?? 0);
  expect(kept).toEqual([0, 1, 0, 1]);
});

it('names the page of a manual that a tool returned, and keeps it', async () => {
  const given = { manual_name: 'Pump P7' };
  const manual = await manualOf(session, 'E17: overpressure.\n', 'p7.txt', given);
  chatWorld.answer((sent) =>
    inTurn(sent) === 0
      ? call(['readManual', { words: 'E17' }])
      : say('E17 is overpressure (Pump P7, page 1), see page 2.'),
  );
  const { events } = await chat(session, 'what is E17?', { conversationId: 'manual' });
  expect(events.filter(({ type }) => type === 'citation')).toMatchObject([
    {
      kind: 'page',
      label: 'Pump P7',
      value: 1,
      manual_id: manual.id,
      url: expect.stringMatching(new RegExp(`/console/manuals/${manual.id}\\?page=1$`)),
    },
  ]);
  const { body } = await session.get('/api/v3/agentic/message/list', { conversation_id: 'manual' });
  expect(JSON.stringify(body.data)).toContain(`"manual_id":"${manual.id}"`);
});
