import { expect, it } from 'vitest';

import { watched } from '../support/devices/watched.ts';
import { chat } from '../support/people/chat.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });

it('the model of the demo answers questions about alarms from the alarms there are', async () => {
  const mine = await world.tenant('asked');
  const hot = await watched(world, mine, 'boiler', { severity: 'P1' });
  await watched(world, mine, 'cellar');
  const say = async (question: string) => (await chat(mine, question)).text;
  expect(await say('are there any alarms?')).toBe('There are no open alarms.');

  await hot.measure(81);
  const { text, events } = await chat(mine, 'what alarms are open?');
  expect(text).toMatch(
    /^I see 1 open alarm:\n- FIRING P1, boiler set-point of boiler device, since \d{4}-\d\d-\d\dT\S+$/,
  );
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'tool.end', name: 'searchAlarms', status: 'success' }),
  );
  for (const question of ['Welche Alarme sind offen?', '现在有哪些报警?'])
    expect(await say(question)).toBe(text);
  expect(await say('show me the alarms of boiler device')).toBe(
    text.replace(':\n', ' of boiler device:\n'),
  );
  expect(await say('Gibt es Alarme an cellar device?')).toBe(
    'There are no open alarms of cellar device.',
  );
  expect(await say('confirm all alarms')).toContain('understand a handful of requests');
});
