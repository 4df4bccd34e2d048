import { beforeAll, describe, expect, it } from 'vitest';

import { confirm } from '../../src/agentic/decision/decision.ts';
import { sendAllNext } from '../../src/agentic/decision/send-next.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { beforeDispatch } from '../support/devices/before-dispatch.ts';
import { playDriver } from '../support/devices/played-driver.ts';
import { statusesOf, stepsIn, type To } from '../support/people/steps.ts';
import { eventually } from '../support/world/eventually.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, type Site } from '../tools/agent.ts';

/** Their set-points can really be written. */
let plants: readonly Site[];
/** Its driver is the test. */
const world = startedWorld();
const session = prepared(() => world.admin);
const steps = prepared(() => stepsIn(world, session));
beforeAll(async () => {
  plants = [
    await onboardVirtual(world, 'boiler'),
    await onboardVirtual(world, 'pump'),
    await onboardVirtual(world, 'valve'),
  ];
});
const played = prepared(() => onboard(session, 'played'));
const driver = prepared(() => playDriver(world, session, played));

let value = 5;
/** Another value each time, so that no proposal is one of before. */
const fresh = (): string => String((value += 0.25));
const to = (...sites: readonly (Site | undefined)[]): To[] =>
  sites.map((site) => [site ?? played, fresh()]);
const human = (): Caller => ({ ...agentIn(session), via: 'login', principalType: 'USER' });
const readBack = (of: To | undefined) => ({
  responseValue: of?.[1] ?? '',
  readBack: of?.[1] ?? '',
});
const update = (point: Site, more: object) =>
  session.data('/api/v3/manager/point/update', { id: point.pointId, ...more });

describe('several confirmed writes', () => {
  it('are sent one after the other, each once the one before is verified', async () => {
    const card = await steps.proposing(to(...plants));
    const { status, body } = await steps.confirming(card, 15_000);
    expect(status).toBe(200);
    const done = await steps.viewOf(card.actionId);
    expect(body.data).toEqual(done);
    expect(done).toMatchObject({ status: 'EXECUTED', done: true });
    expect(statusesOf(done)).toEqual(['EXECUTED', 'EXECUTED', 'EXECUTED']);
    expect(done.say).toMatch(
      /^All 3 writes were made in their order, confirmed by “admin”; the last: “valve set-point” of .* read back\. Writes 1 to 2 were written and read back\.$/,
    );
    const commands = await steps.commandRowsOf(card.actionId);
    expect(commands.map(({ requestValue }) => requestValue)).toEqual(
      card.steps.map(({ proposedValue }) => proposedValue),
    );
    expect(done.steps.map(({ commandId }) => commandId)).toEqual(
      commands.map(({ commandId }) => commandId),
    );
    for (const [index, command] of commands.entries()) {
      expect(command.verification).toBe(1);
      const before = commands[index - 1]?.finishTime?.getTime() ?? 0;
      expect(command.sendTime?.getTime()).toBeGreaterThanOrEqual(before);
    }
    expect((await steps.confirming(card, 1_000)).body.data).toEqual(body.data);
    expect(await steps.commandsOf(card.actionId)).toHaveLength(3);
    expect((await steps.auditOf(card.actionId)).map(({ action }) => action)).toEqual([
      'action:propose',
      'action:confirm',
    ]);
  });

  it('say while they are under way how far they are', async () => {
    const [first, last] = plants;
    const card = await steps.proposing(to(first, played, last));
    await steps.confirming(card);
    const commandId = await steps.commandOf(card.actionId, 1);
    const view = await steps.viewOf(card.actionId);
    expect(view).toMatchObject({ status: 'CONFIRMED', done: false, commandId });
    expect(statusesOf(view)).toEqual(['EXECUTED', 'UNDERWAY', 'WAITING']);
    expect(view.say).toMatch(
      /^Write 2 of 3 is under way, .* Write 1 was written and read back\. Write 3 was not sent yet\.$/,
    );
    await driver.answer(commandId, { status: 'FAILED', errorCode: 'DEVICE_REFUSED' });
    await steps.ended(card.actionId);
  });

  it.each([
    [
      'refuses',
      { status: 'FAILED', errorCode: 'DEVICE_REFUSED' },
      'FAILED',
      /was not set to .*: the device refused it \(DEVICE_REFUSED\)\./,
    ],
    ['holds another value', { readBack: '29' }, 'MISMATCH', /did not become .* reads back 29 °C\./],
    ['is not heard of', { status: 'UNKNOWN', errorCode: 'TIMEOUT' }, 'UNKNOWN', /: Not known/],
    ['cannot be read back', {}, 'FAILED', /the device accepted it .*; it was not read back\./],
  ] as const)('stop at a device that %s', async (_, answer, status, words) => {
    const [first, last] = plants;
    const card = await steps.proposing(to(first, played, last));
    await steps.confirming(card);
    await driver.answer(await steps.commandOf(card.actionId, 1), answer);
    const stopped = await steps.ended(card.actionId);
    expect(stopped).toMatchObject({ status, done: false, steps: [{}, {}, { commandId: null }] });
    expect(statusesOf(stopped)[0]).toBe('EXECUTED');
    expect(statusesOf(stopped)[2]).toBe('NOT_SENT');
    expect(stopped.say).toMatch(/^Stopped at write 2 of 3, confirmed by “admin”: /);
    expect(stopped.say).toMatch(words);
    expect(stopped.say).toMatch(/ Write 1 was written and read back\. Write 3 was not sent\.$/);
    expect(stopped.say).not.toContain('Nothing was written');
    await sendAllNext(world.app);
    expect(await steps.commandsOf(card.actionId)).toHaveLength(2);
  });

  it('that stopped at an unknown one do not go on when a reading proves it', async () => {
    const [, last] = plants;
    await driver.says('19');
    world.clock.shift(1_000);
    const writes = to(played, last);
    const card = await steps.proposing(writes);
    await steps.confirming(card);
    const commandId = await steps.commandOf(card.actionId, 0);
    world.clock.shift(1_000);
    await driver.answer(commandId, { status: 'UNKNOWN', errorCode: 'TIMEOUT' });
    await steps.ended(card.actionId);
    world.clock.shift(1_000);
    await driver.says(writes[0]?.[1] ?? '');
    const proved = await eventually(
      () => steps.viewOf(card.actionId),
      (view) => statusesOf(view)[0] === 'EXECUTED',
    );
    await sendAllNext(world.app);
    expect(proved).toMatchObject({ status: 'FAILED', done: false });
    expect(proved.say).toContain('seen later in the reading');
    expect(proved.say).toContain('Write 2 was not sent.');
    expect(await steps.commandsOf(card.actionId)).toHaveLength(1);
  });

  it('stop before one whose effect is not the confirmed one any more', async () => {
    const [pump, valve] = plants;
    if (!pump || !valve) throw new Error('no plant');
    const writes = to(played, pump, valve);
    const card = await steps.proposing(writes);
    await steps.confirming(card);
    const commandId = await steps.commandOf(card.actionId, 0);
    await update(pump, { multiple: 2 });
    await driver.answer(commandId, readBack(writes[0]));
    const stopped = await steps.ended(card.actionId);
    await update(pump, { multiple: 1 });
    expect(stopped).toMatchObject({ status: 'FAILED', done: false });
    expect(statusesOf(stopped)).toEqual(['EXECUTED', 'NOT_SENT', 'NOT_SENT']);
    expect(stopped.say).toMatch(/^Stopped at write 2 of 3.*not sent: multiple changed from “1”/);
    expect(stopped.say).toMatch(/Write 1 was written and read back\. Write 3 was not sent\.$/);
    expect(await steps.commandsOf(card.actionId)).toHaveLength(1);
    expect((await steps.auditOf(card.actionId)).map(({ action }) => action)).toEqual([
      'action:propose',
      'action:confirm',
      'action:stop',
    ]);
  });

  it('stop before the next one once agents are switched off', async () => {
    const [, last] = plants;
    const writes = to(played, last);
    const card = await steps.proposing(writes);
    await steps.confirming(card);
    const commandId = await steps.commandOf(card.actionId, 0);
    const turnTo = (mode: string) => session.data('/api/v3/auth/mcp/switch/set', { mode });
    await turnTo('OFF');
    await driver.answer(commandId, readBack(writes[0]));
    const stopped = await steps.ended(card.actionId);
    await turnTo('ON');
    expect(statusesOf(stopped)).toEqual(['EXECUTED', 'NOT_SENT']);
    expect(stopped.say).toContain('not sent: Agents are switched off in this tenant');
    expect(await steps.commandsOf(card.actionId)).toHaveLength(1);
  });

  it('are not sent more than ten minutes after their confirmation', async () => {
    const [, last] = plants;
    const writes = to(played, last);
    const card = await steps.proposing(writes);
    await steps.confirming(card);
    const commandId = await steps.commandOf(card.actionId, 0);
    await inTenant(world.app.db, session.tenantId, (q) =>
      q
        .updateTable('svc_action')
        .set({ decidedTime: new Date(world.clock.now() - 600_001) })
        .where('actionId', '=', card.actionId)
        .execute(),
    );
    await driver.answer(commandId, readBack(writes[0]));
    const stopped = await steps.ended(card.actionId);
    expect(statusesOf(stopped)).toEqual(['EXECUTED', 'NOT_SENT']);
    expect(stopped.say).toContain('ten minutes have passed since it was confirmed');
  });

  it('wait again, none sent, where one changed before the first was', async () => {
    const [pump, valve] = plants;
    if (!pump || !valve) throw new Error('no plant');
    const card = await steps.proposing(to(valve, pump));
    const app = beforeDispatch(world.app, () => update(pump, { multiple: 3 }));
    const { actionId, digest } = card;
    const asked = { actionId, digest, comment: '', waitMs: 0 };
    await expect(confirm(app, human(), asked)).rejects.toMatchObject({ status: 412 });
    const open = await steps.viewOf(actionId);
    expect(open).toMatchObject({ status: 'PENDING', commandId: null });
    expect(open.steps.map(({ commandId }) => commandId)).toEqual([null, null]);
    expect((await steps.confirming(open, 15_000)).status).toBe(200);
    expect(await steps.viewOf(actionId)).toMatchObject({ status: 'EXECUTED' });
    await update(pump, { multiple: 1 });
  });

  it('are gone on with by another process, and by many at once send each write once', async () => {
    const writes = to(played, ...plants);
    const card = await steps.proposing(writes);
    // What confirms keeps no word of it in the process that hears the answers.
    const { actionId, digest } = card;
    await confirm(otherNode(world.app), human(), { actionId, digest, comment: '', waitMs: 0 });
    await driver.answer(await steps.commandOf(actionId, 0), readBack(writes[0]));
    await Promise.all(Array.from({ length: 8 }, () => sendAllNext(world.app)));
    const done = await steps.ended(actionId);
    expect(done.status).toBe('EXECUTED');
    expect(await steps.commandsOf(actionId)).toHaveLength(4);
  });
});
