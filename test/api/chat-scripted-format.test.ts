import { expect, it } from 'vitest';

import { chatAnswer, Completion, question } from '../support/people/chat.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });

const asked = (format: object) =>
  chatAnswer(
    world.admin,
    question('which devices are offline?', { model: 'scripted', response_format: format }),
  );

it('keeps a JSON object, and refuses a schema by name', async () => {
  const kept = await asked({ type: 'json_object' });
  const [choice] = Completion.parse(kept.body).choices;
  expect(JSON.parse(choice?.message.content ?? '')).toEqual({ answer: 'No device is offline.' });
  const schema = { type: 'object', properties: { n: { type: 'number' } } };
  const refused = await asked({ type: 'json_schema', json_schema: { name: 'n', schema } });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toMatch(/has no json_schema: json_object is taken/);
});
