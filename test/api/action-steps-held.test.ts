import { beforeAll, expect, it } from 'vitest';

import { sendAllNext } from '../../src/agentic/decision/send-next.ts';
import { END_WAITERS } from '../../src/data/command/receipt.ts';
import { beforeDispatch } from '../support/devices/before-dispatch.ts';
import { playDriver } from '../support/devices/played-driver.ts';
import { statusesOf, stepsIn } from '../support/people/steps.ts';
import { startWorld } from '../support/world/app.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { onboard, onboardVirtual } from '../tools/agent.ts';

let clock: HeldClock;
beforeAll(() => {
  clock = new HeldClock();
});
const world = started(() => startWorld({ clock }));
const played = prepared(() => onboard(world.admin, 'played'));
const last = prepared(() => onboardVirtual(world, 'boiler'));
const driver = prepared(() => playDriver(world, world.admin, played));

it('a later write is held back by a switch that is turned between its claim and its command', async () => {
  const steps = stepsIn(world, world.admin);
  const turnTo = (mode: string) => world.admin.data('/api/v3/auth/mcp/switch/set', { mode });
  const card = await steps.proposing([
    [played, '21'],
    [last, '22'],
  ]);
  await steps.confirming(card);
  const commandId = await steps.commandOf(card.actionId, 0);
  // Neither a sweep of this process nor its wait for the first one sends the next write.
  clock.hold();
  world.app.of(END_WAITERS).clear();
  await driver.answer(commandId, { responseValue: '21', readBack: '21' });
  const app = beforeDispatch(otherNode(world.app), () => turnTo('READ_ONLY'), 'before-next-step');
  await sendAllNext(app);
  const stopped = await steps.ended(card.actionId);
  await turnTo('ON');
  expect(statusesOf(stopped)).toEqual(['EXECUTED', 'FAILED']);
  expect(stopped.say).toContain('it was held back before it was sent');
});
