import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onIndexedPage } from '../../src/db/query-page.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { inOrder } from '../../src/kernel/entity/in-order.ts';
import { PointQuery, pointsIn } from '../../src/manager/profile/point.ts';
import { raised } from '../support/dashboard/raised.ts';
import { add, onboard } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const NAMES = ['Boiler 10', 'boiler 2', 'Boiler 1', 'Anlage 007'];
const ORDERED = ['Anlage 007', 'Boiler 1', 'boiler 2', 'Boiler 10'];

const world = startedWorld();
const mine = prepared(() => world.tenant('list-order'));
const plant = prepared(() => onboard(mine));

const Found = z.object({ total: z.number(), records: z.array(z.looseObject({})) });

/** What a field is of every row, page by page. */
async function listed(path: string, field: string, given: object): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let current = 1; current <= 10; current += 1) {
    const page = { current, size: 2 };
    const { records } = Found.parse(await mine.data(`/api/v3/${path}`, { ...given, page }));
    seen.push(...records.map((row) => row[field]));
  }
  return seen;
}

const rule = (session: Session, ruleName: string, severity = 'P2') =>
  session.data('/api/v3/data/rule/add', {
    ruleName,
    alarmTargetTypeFlag: 'POINT',
    entityId: plant.temperature,
    ruleExt: { content: { condition: { field: 'value', operator: '>', threshold: 90 }, severity } },
  });

describe('the order of a list', () => {
  it('of points, profiles and rules is by time or by name as people count, over all of its pages', async () => {
    const profileId = await add(mine, 'profile', { profileName: 'of the points' });
    for (const name of NAMES) {
      await add(mine, 'profile', { profileName: name });
      await add(mine, 'point', { profileId, pointName: name, pointTypeFlag: 'DOUBLE' });
      await rule(mine, name);
    }
    for (const [path, name, given] of [
      ['manager/point/list', 'pointName', { profileId }],
      ['manager/profile/list', 'profileName', {}],
      ['data/rule/list', 'ruleName', {}],
    ] as const) {
      const seen = async (orderBy?: string) => {
        const all = await listed(path, name, { ...given, ...(orderBy && { orderBy }) });
        return all.filter((each) => NAMES.includes(String(each)));
      };
      expect(await seen(name), path).toEqual(ORDERED);
      expect(await seen(`-${name}`), path).toEqual(ORDERED.toReversed());
      expect(await seen('createTime'), path).toEqual(NAMES);
      expect(await seen(), path).toEqual(NAMES.toReversed());
      expect((await mine.post(`/api/v3/${path}`, { orderBy: 'remark' })).status).toBe(400);
    }
  });

  it('of rules is by severity too, the most urgent first', async () => {
    await rule(mine, 'urgent', 'P0');
    await rule(mine, 'for the record', 'P3');
    const first = async (orderBy: string) =>
      (await listed('data/rule/list', 'ruleName', { orderBy }))[0];
    expect(await first('severity')).toBe('urgent');
    expect(await first('-severity')).toBe('for the record');
  });

  it('of points by name is found in its index, behind row-level security', async () => {
    const plan = await inTenant(world.app.db, mine.tenantId, async (q) => {
      // The table is too small for an index to pay.
      await sql`set local enable_seqscan = off`.execute(q);
      await sql`set local enable_bitmapscan = off`.execute(q);
      const page = { current: 3, size: 2 };
      const asked = PointQuery.parse({ page, orderBy: 'pointName' });
      const points = inOrder(pointsIn(q, mine.tenantId, asked), asked.orderBy);
      return JSON.stringify(await onIndexedPage(points, page).explain('json'));
    });
    expect(plan).toContain('"Index Name":"svc_point_by_name"');
  });

  it('of alarms is newest first where that is asked for, whether they fire or not, page by page', async () => {
    const other = await world.tenant('alarm-order');
    const minutes = [50, 10, 40, 20, 30];
    for (const [index, each] of minutes.entries())
      await raised(
        world,
        other,
        { ruleId: String(index + 1), deviceId: '7', fires: index % 2 === 0 },
        [each],
      );
    const Page = z.object({
      alarms: z.array(z.looseObject({ since: z.string() })),
      next: z.string().nullable(),
    });
    const asked = async (given: object): Promise<number[]> => {
      const seen: string[] = [];
      let after: string | null = null;
      for (let pages = 0; pages < 4; pages += 1) {
        const more: object = after === null ? {} : { after };
        const found: z.output<typeof Page> = Page.parse(
          await other.data('/api/v3/data/dashboard/alert/search', { ...given, limit: 2, ...more }),
        );
        seen.push(...found.alarms.map(({ since }) => since));
        after = found.next;
        if (after === null) break;
      }
      return seen.map((since) => Math.round((world.clock.now() - Date.parse(since)) / 60_000));
    };
    expect(await asked({ orderBy: '-since' })).toEqual([10, 20, 30, 40, 50]);
    expect(await asked({ orderBy: '-since', state: 'FIRING' })).toEqual([30, 40, 50]);
    expect(await asked({ orderBy: '-since', state: 'RECOVERED' })).toEqual([10, 20]);
    for (const own of [{}, { orderBy: '-urgency' }])
      expect(await asked(own)).toEqual([50, 40, 30, 10, 20]);
    const wrong = { orderBy: 'message' };
    expect((await other.post('/api/v3/data/dashboard/alert/search', wrong)).status).toBe(400);
  });
});
