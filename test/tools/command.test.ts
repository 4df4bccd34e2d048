import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { BadRequest, Forbidden, NotFound } from '../../src/kernel/errors.ts';
import type { Session } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, type Site, toolNamed } from './agent.ts';

const world = startedWorld();
const other = prepared(() => world.tenant('other'));
const site = prepared(() => onboardVirtual(world, 'site'));
const theirs = prepared(() => onboardVirtual(world, 'theirs', other));

const call = (name: string, input: unknown, session: Session = world.admin) =>
  toolNamed(name).run(world.app, agentIn(session), input);

const MISSING = '00000000-0000-4000-8000-000000000000';
const Read = z.object({ commandId: z.uuid() });
const Proposed = z.object({ actionId: z.uuid() });

const read = async (session: Session, { deviceId, pointId }: Site) =>
  Read.parse(await call('readPointValue', { deviceId, pointId }, session)).commandId;

const define = async (session: Session, { profileId }: Site, commandName: string) =>
  String(await session.data('/api/v3/manager/command/add', { commandName, profileId }));

const propose = async (session: Session, { deviceId, pointId }: Site, value: number) =>
  Proposed.parse(await call('writePointValue', { deviceId, pointId, value }, session)).actionId;

const decide = (verb: 'confirm' | 'reject', actionId: string) =>
  world.admin.post(`/api/v3/agentic/action/${verb}`, { action_id: actionId });

describe('lookupCommandById', () => {
  it('gives the receipt of an issued command', async () => {
    const commandId = await read(world.admin, site);
    expect(await call('lookupCommandById', { commandId })).toMatchObject({
      kind: 'issued',
      issued: { commandId, type: 'READ', deviceId: site.deviceId, status: 'SUCCESS' },
    });
  });

  it('gives the definition for a numeric id', async () => {
    const commandId = await define(world.admin, site, 'reboot');
    expect(await call('lookupCommandById', { commandId })).toMatchObject({
      kind: 'definition',
      definition: { commandId, commandName: 'reboot', profileId: site.profileId },
    });
  });

  it('answers for a foreign command exactly as for a missing one', async () => {
    const issued = await read(other, theirs);
    const definition = await define(other, theirs, 'foreign');
    const errors = await Promise.all(
      [issued, MISSING, definition, '999999999'].map((commandId) =>
        call('lookupCommandById', { commandId }).catch((error: unknown) => error),
      ),
    );
    expect(errors.every((error) => error instanceof NotFound)).toBe(true);
    expect(errors[0]).toEqual(errors[1]);
    expect(errors[2]).toEqual(errors[3]);
  });

  it('shows no definition to whom the manager center would not', async () => {
    const commandId = await define(world.admin, site, 'secret');
    const { permission, run } = toolNamed('lookupCommandById');
    const limited = { ...agentIn(world.admin), permissions: new Set([permission]) };
    await expect(run(world.app, limited, { commandId })).rejects.toThrow(Forbidden);
  });

  it.each(['', 'x', '0', `${MISSING}0`, '1; drop table'])('refuses %j', async (commandId) => {
    await expect(call('lookupCommandById', { commandId })).rejects.toThrow(/commandId/);
  });
});

describe('searchCommands', () => {
  it('lists issued commands of the own tenant, newest first, page after page', async () => {
    await read(other, theirs);
    const issued = [await read(world.admin, site), await read(world.admin, site)];
    const page = await call('searchCommands', { deviceId: site.deviceId, limit: 1 });
    const names = { deviceName: 'site device', pointName: 'site set-point' };
    expect(page).toMatchObject({ returned: 1, records: [{ commandId: issued[1], ...names }] });
    const next = await call('searchCommands', {
      deviceId: site.deviceId,
      cursor: page['nextCursor'],
    });
    expect(next).toMatchObject({ records: [{ commandId: issued[0] }] });
    expect(await call('searchCommands', { deviceId: theirs.deviceId })).toMatchObject({ total: 0 });
  });

  it('does not ignore a filter that issued commands do not have', async () => {
    const commandId = await define(world.admin, site, 'inferred');
    const inferred = await call('searchCommands', { commandName: 'inferred' });
    expect(inferred).toMatchObject({ total: 1, records: [{ commandId }] });
    const contradiction = call('searchCommands', { kind: 'issued', commandName: 'inferred' });
    await expect(contradiction).rejects.toThrow(BadRequest);
  });

  it('lists definitions by name, profile and device', async () => {
    const commandId = await define(world.admin, site, 'calibrate');
    for (const filter of [
      { commandName: 'calibr' },
      { profileId: site.profileId, commandName: 'cal' },
      { deviceId: site.deviceId, commandName: 'cal' },
    ]) {
      expect(await call('searchCommands', { kind: 'definition', ...filter })).toMatchObject({
        total: 1,
        records: [{ commandId, commandName: 'calibrate' }],
      });
    }
  });
});

describe('lookupActionById', () => {
  it('says that a proposal waits, and that nothing was done', async () => {
    const actionId = await propose(world.admin, site, 22);
    expect(await call('lookupActionById', { actionId })).toMatchObject({
      actionId,
      status: 'PENDING',
      receipt: null,
    });
  });

  it('waits for the human and gives the receipt of the command', async () => {
    const actionId = await propose(world.admin, site, 23);
    const outcome = call('lookupActionById', { actionId, waitS: 15 });
    expect((await decide('confirm', actionId)).status).toBe(200);
    expect(await outcome).toMatchObject({
      status: 'EXECUTED',
      decidedName: 'admin',
      receipt: {
        status: 'SUCCESS',
        verification: 'VERIFIED',
        readBackValue: '23',
      },
    });
  });

  it('says that a human rejected it', async () => {
    const actionId = await propose(world.admin, site, 24);
    expect((await decide('reject', actionId)).status).toBe(200);
    expect(await call('lookupActionById', { actionId, waitS: 5 })).toMatchObject({
      status: 'REJECTED',
      receipt: null,
    });
  });

  it('answers for a foreign action exactly as for a missing one', async () => {
    const foreign = await propose(other, theirs, 25);
    for (const actionId of [foreign, MISSING])
      await expect(call('lookupActionById', { actionId })).rejects.toThrow(new NotFound('Action'));
  });
});
