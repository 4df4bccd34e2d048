import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { Action, ACTIONS, actionsIn, LIFE_MS } from '../support/people/actions.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const Found = z.object({ actions: z.array(Action), nextCursor: z.string().nullable() });

const world = startedWorld();

const found = async (session: Session, search: object = {}) =>
  Found.parse(await session.data(`${ACTIONS}/search`, search));
const idsOf = ({ actions }: z.output<typeof Found>) => actions.map(({ actionId }) => actionId);

describe('proposals for people over REST', () => {
  it('are listed newest first, page by page, as each is answered alone', async () => {
    const mine = await world.tenant('action-search');
    const { site, proposeIn, decide, actionOf } = actionsIn(world, mine);
    const [one, other] = [await site(), await site()];
    const rejected = (await proposeIn(one, '21')).actionId;
    await decide('reject', rejected);
    const waiting = (await proposeIn(other, '22')).actionId;
    expect(idsOf(await found(mine))).toEqual([waiting, rejected]);
    const first = await found(mine, { limit: 1 });
    const second = await found(mine, { limit: 1, cursor: first.nextCursor });
    expect([...first.actions, ...second.actions]).toEqual([
      await actionOf(waiting),
      await actionOf(rejected),
    ]);
    expect(second.nextCursor).toBeNull();
    expect(idsOf(await found(mine, { decided: true }))).toEqual([rejected]);
    expect(idsOf(await found(mine, { status: 'PENDING' }))).toEqual([waiting]);
    expect(idsOf(await found(mine, { deviceId: one.deviceId }))).toEqual([rejected]);
    world.clock.shift(LIFE_MS);
    expect((await found(mine, { decided: true })).actions).toMatchObject([
      { actionId: waiting, status: 'EXPIRED' },
      { actionId: rejected, status: 'REJECTED' },
    ]);
    expect((await found(await world.tenant('action-search-other'))).actions).toEqual([]);
  });

  it('take no other cursor than that of an answer', async () => {
    const refused = await world.admin.post(`${ACTIONS}/search`, { cursor: 'x' });
    expect(refused.status).toBe(400);
  });
});
