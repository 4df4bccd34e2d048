import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { markdownOf } from '../../src/agentic/action/card/words/markdown.ts';
import { byId } from '../../src/agentic/propose/action.ts';
import { actionsIn } from '../support/people/actions.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, toolNamed } from './agent.ts';

const Proposed = z.looseObject({ actionId: z.string(), say: z.string() });

describe('a value with a unit of its own', () => {
  const world = startedWorld();
  const site = prepared(() => onboardVirtual(world, 'asked'));
  const propose = async (value: unknown) =>
    toolNamed('writePointValue').run(world.app, agentIn(world.admin), {
      deviceId: site.deviceId,
      pointId: site.pointId,
      value,
    });

  it('is converted, and the card has both', async () => {
    const { decide, actionOf } = actionsIn(world, world.admin);
    const answer = Proposed.parse(await propose('70 °F'));
    expect(answer).toMatchObject({ proposedValue: '21.11', unit: '°C' });
    expect(answer.say).toContain('to 21.11 °C, asked for as “70 °F” (');
    const { actionId } = answer;
    expect(await actionOf(actionId)).toMatchObject({ askedAs: '70 °F', proposedValue: '21.11' });
    const card = await byId(world.app, agentIn(world.admin), { actionId });
    expect(markdownOf(card, { base: world.base, at: 'now' })).toContain('asked for as “70 °F”');
    expect(Proposed.parse(await propose('70 F'))).toMatchObject({ actionId, repeated: true });
    // The card is made once more before it is decided.
    const { digest } = await actionOf(actionId);
    const ended = await decide('confirm', actionId, { digest, wait_ms: 10_000 });
    expect(ended.status).toBe(200);
    expect(await actionOf(actionId)).toMatchObject({ status: 'EXECUTED', askedAs: '70 °F' });
  });

  it('in the unit of the point is the value alone', async () => {
    const answer = Proposed.parse(await propose('24.5 degC'));
    expect(answer).toMatchObject({ proposedValue: '24.5' });
    expect(answer.say).not.toContain('asked for as');
  });

  it('is refused with the unit of the point where it is none of its quantity, or out of limits', async () => {
    await expect(propose('21 kPa')).rejects.toThrow(/takes a number such as 21.5, in °C$/);
    await expect(propose('21,5')).rejects.toThrow(/in °C$/);
    await expect(propose('-20 °F')).rejects.toThrow(/-28.89 °C is out of limits.*5 °C to 30 °C/);
  });
});
