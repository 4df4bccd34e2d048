import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inTenant } from '../../src/db/tenant.ts';
import { type PlayedDriver, playDriver } from '../support/devices/played-driver.ts';
import { actionsIn } from '../support/people/actions.ts';
import { login, type Session } from '../support/people/session.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, type Site, toolNamed } from '../tools/agent.ts';

const DATA = '/api/v3/data';
const Receipt = z.looseObject({
  status: z.string(),
  verification: z.string(),
  outcome: z.string(),
  done: z.boolean(),
  say: z.string(),
  seen: z.object({ value: z.string(), time: z.string() }).nullable(),
  openUntil: z.string().nullable(),
});

let session: Session;
let site: Site;
let driver: PlayedDriver;
let count = 0;
const world = startedWorld();
beforeAll(() => {
  session = world.admin;
});

beforeEach(async () => {
  count += 1;
  site = await onboard(session, `e${count}`);
  driver = await playDriver(world, session, site);
});

const receipt = async (commandId: string) =>
  Receipt.parse(
    await session.data(`${DATA}/point_command_history/get_by_command_id`, undefined, { commandId }),
  );
const issue = async (kind: 'read' | 'write', value?: string): Promise<string> => {
  const { deviceId, pointId } = site;
  const commandId = z
    .string()
    .parse(await session.data(`${DATA}/point_command/${kind}`, { deviceId, pointId, value }));
  await driver.command(commandId);
  return commandId;
};
/** A write of 24 that ended UNKNOWN, with `before` stored. */
async function unknown(before: string | null = '20'): Promise<string> {
  if (before !== null) await driver.says(before);
  world.clock.shift(1_000);
  const commandId = await issue('write', '24');
  world.clock.shift(1_000);
  await driver.answer(commandId, { status: 'UNKNOWN', errorCode: 'TIMEOUT' });
  return commandId;
}
const seen = (commandId: string, value: string) =>
  eventually(
    () => receipt(commandId),
    (found) => found.seen?.value === value,
  );
const auditOf = (resourceId: string) =>
  inTenant(world.app.db, session.tenantId, (q) =>
    q
      .selectFrom('svc_identity_audit_log')
      .select(['action', 'principalType', 'detailExt'])
      .where('tenantId', '=', session.tenantId)
      .where('resourceId', '=', resourceId)
      .orderBy('id')
      .execute(),
  );
/** The rounds of the sweeper that looks for readings are over once it has seen a later write's one. */
async function swept(): Promise<void> {
  const mine = { site, driver };
  count += 1;
  site = await onboard(session, `e${count}`);
  driver = await playDriver(world, session, site);
  const other = await unknown();
  await driver.says('24');
  await seen(other, '24');
  ({ site, driver } = mine);
}

describe('a write that ended UNKNOWN', () => {
  it('is proved by a later reading of what was written, and says that it was unknown', async () => {
    const commandId = await unknown();
    expect(await receipt(commandId)).toMatchObject({
      status: 'UNKNOWN',
      outcome: 'UNKNOWN',
      done: false,
      openUntil: expect.any(String),
      say: expect.stringMatching(/^Not known whether .* became 24 °C \(20 °C before\)/),
    });
    await driver.says('24.004');
    expect(await seen(commandId, '24.004')).toMatchObject({
      status: 'SUCCESS',
      verification: 'VERIFIED',
      outcome: 'EXECUTED',
      done: true,
      errorCode: '',
      wasUnknown: { errorCode: 'TIMEOUT', until: expect.any(String) },
      openUntil: null,
      say: expect.stringMatching(/ was 20 °C, became 24\.004 °C: .* without an answer, seen later/),
    });
    expect(await auditOf(commandId)).toMatchObject([
      {
        action: 'command:settle',
        principalType: 'SYSTEM',
        detailExt: { was: 'UNKNOWN', errorCode: 'TIMEOUT', beforeValue: '20', value: '24.004' },
      },
    ]);
  });

  it('stays UNKNOWN beside another reading, named with its time, and open to a proof', async () => {
    const commandId = await unknown();
    await driver.says('20');
    const other = await seen(commandId, '20');
    expect(other).toMatchObject({ status: 'UNKNOWN', done: false, verification: 'NONE' });
    expect(other.say).toMatch(/The reading of \S+Z is 20 °C, which does not prove it\./);
    world.clock.shift(30_000);
    await driver.says('20');
    await driver.says('24');
    expect(await seen(commandId, '24')).toMatchObject({ status: 'SUCCESS', done: true });
    expect((await auditOf(commandId)).map(({ action }) => action)).toEqual([
      'command:evidence',
      'command:settle',
    ]);
  });

  it('is proved by what a read sent after it answers, whatever the clock of the driver says', async () => {
    const commandId = await unknown();
    const read = await issue('read');
    await driver.answer(read, { responseValue: '24' });
    expect(await receipt(commandId)).toMatchObject({ status: 'SUCCESS', done: true });
  });

  it('is proved by a reading that came while its answer was still awaited', async () => {
    await driver.says('20');
    world.clock.shift(1_000);
    const commandId = await issue('write', '24');
    world.clock.shift(2_000);
    await driver.says('24');
    world.clock.shift(12_000);
    expect(await seen(commandId, '24')).toMatchObject({ status: 'SUCCESS', done: true });
  });

  it.each(['24', null])('is not proved where %s was stored before it', async (before) => {
    const commandId = await unknown(before);
    await driver.says('24');
    const named = await seen(commandId, '24');
    expect(named).toMatchObject({ status: 'UNKNOWN', done: false });
    expect(named.say).toContain('which does not prove it');
  });

  it('is not proved by a reading taken before it, bad, or after a day', async () => {
    const commandId = await unknown();
    world.clock.shift(1_000);
    await driver.says('24', { originTime: world.clock.now() - 60_000 });
    await driver.says('24', { quality: 2, numValue: null });
    await swept();
    expect(await receipt(commandId)).toMatchObject({ status: 'UNKNOWN', seen: null });
    world.clock.shift(24 * 3_600_000);
    session = await login(world.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
    await driver.says('24');
    await swept();
    const closed = await receipt(commandId);
    expect(closed).toMatchObject({ status: 'UNKNOWN', seen: null, openUntil: null });
    expect(closed.say).toContain('No reading proves it any more.');
  });

  it('is not proved by a reading after a later write to the point, unless that had no effect', async () => {
    const commandId = await unknown();
    const refused = await issue('write', '24');
    await driver.answer(refused, { status: 'FAILED', errorCode: 'DEVICE_REFUSED' });
    world.clock.shift(1_000);
    const later = await issue('write', '24');
    await driver.answer(later, { readBack: '24' });
    await driver.says('24');
    await swept();
    expect(await receipt(commandId)).toMatchObject({ status: 'UNKNOWN', done: false });
  });
});

describe('what is no evidence of a write that ended UNKNOWN', () => {
  it('is a past value that a person imported', async () => {
    const commandId = await unknown();
    world.clock.shift(2_000);
    const { deviceId, pointId } = site;
    const createTime = new Date(world.clock.now() - 1_000).toISOString();
    await session.data(`${DATA}/point_value/import`, {
      values: [{ deviceId, pointId, value: '24', createTime }],
    });
    await driver.says('21');
    expect(await seen(commandId, '21')).toMatchObject({ status: 'UNKNOWN', done: false });
  });

  it('is what a device in doubt answers to a read', async () => {
    const commandId = await unknown();
    const read = await issue('read');
    await driver.answer(read, { responseValue: '24', errorCode: 'PEER_CHANGED' });
    expect(await receipt(commandId)).toMatchObject({ status: 'UNKNOWN', seen: null });
    expect((await receipt(read)).say).toMatch(/reads 24 °C.*in doubt: .*\(PEER_CHANGED\)\.$/);
  });

  it('is a reading in another scaling, or of another place: it closes the write and is named', async () => {
    const commandId = await unknown();
    await session.data('/api/v3/manager/point/update', { id: site.pointId, multiple: 10 });
    await driver.says('24');
    const closed = await eventually(
      () => receipt(commandId),
      ({ openUntil }) => openUntil === null,
    );
    expect(closed).toMatchObject({ status: 'UNKNOWN', done: false, seen: null });
    expect(closed.say).toMatch(
      /The device or point was configured anew since it was sent\. No reading proves it any more\.$/,
    );
    expect(await auditOf(commandId)).toMatchObject([
      { action: 'command:evidence', detailExt: { closed: expect.any(String) } },
    ]);
  });

  it('is anything after a later write, even where no reading comes at all', async () => {
    const commandId = await unknown();
    const later = await issue('write', '25');
    await driver.answer(later, {});
    const closed = await eventually(
      () => receipt(commandId),
      ({ openUntil }) => openUntil === null,
    );
    expect(closed.say).toContain('No reading proves it any more.');
  });
});

describe('an action that ended UNKNOWN', () => {
  const CONVERSATION = '/api/v3/agentic';
  const texts = async (conversationId: string) =>
    z
      .array(z.looseObject({ content: z.string() }))
      .parse(
        await session.data(`${CONVERSATION}/message/list`, undefined, {
          conversation_id: conversationId,
        }),
      )
      .map(({ content }) => content.replace(/^Receipt of action \S+ /, ''));

  async function confirmed() {
    const actions = actionsIn(world, session);
    await driver.says('20');
    world.clock.shift(1_000);
    const conversationId = `evidence-${count}`;
    await inTenant(world.app.db, session.tenantId, (q) =>
      q
        .insertInto('svc_session')
        .values({ conversationId, tenantId: session.tenantId, userId: '1' })
        .execute(),
    );
    const { actionId } = await actions.proposeIn(site, '24', { conversationId });
    const { body } = await actions.decide('confirm', actionId);
    const { commandId } = z.object({ commandId: z.string() }).parse(body.data);
    await driver.command(commandId);
    world.clock.shift(1_000);
    await driver.answer(commandId, { status: 'UNKNOWN', errorCode: 'TIMEOUT' });
    return { actionId, commandId, conversationId, actions };
  }

  it('is told as unknown, then with the first reading, then as proved: once each', async () => {
    const { actionId, commandId, conversationId, actions } = await confirmed();
    expect(await actions.actionOf(actionId)).toMatchObject({
      status: 'UNKNOWN',
      done: false,
      pendingConfirmation: false,
    });
    const told = (length: number) =>
      eventually(
        () => texts(conversationId),
        (found) => found.length >= length,
      );
    await told(1);
    await driver.says('20.5');
    await told(2);
    await driver.says('21');
    await seen(commandId, '21');
    const lookup = toolNamed('lookupActionById').run(world.app, agentIn(session), {
      actionId,
      waitS: 15,
    });
    await driver.says('24');
    const all = await told(3);
    expect(await lookup).toMatchObject({ status: 'EXECUTED', done: true });
    expect(all).toEqual([
      expect.stringMatching(/^UNKNOWN: Not known whether .*\(TIMEOUT\)\. A reading can prove it/),
      expect.stringMatching(/^UNKNOWN: Not known whether .* is 20\.5 °C, which does not prove it/),
      expect.stringMatching(/^EXECUTED: .* became 24 °C: .*seen later/),
    ]);
    expect((await actions.auditOf(actionId)).map(({ action }) => action)).toEqual([
      'action:propose',
      'action:confirm',
      'action:evidence',
      'action:evidence',
    ]);
  });

  it('repeats its answer to a repeated confirmation, and makes no second command', async () => {
    const { actionId, actions } = await confirmed();
    const again = await actions.decide('confirm', actionId, { wait_ms: 1_000 });
    expect(again).toMatchObject({ status: 200, body: { data: { status: 'UNKNOWN' } } });
    expect(await actions.commandsOf(actionId)).toHaveLength(1);
  });
});
