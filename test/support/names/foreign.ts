import { sql } from 'kysely';

import { inTenant } from '../../../src/db/tenant.ts';
import type { Caller } from '../../../src/kernel/app/app.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { withNames } from '../../../src/manager/find/resolve.ts';
import { agentIn } from '../../tools/agent.ts';
import type { Random } from '../hostile/random.ts';
import type { World } from '../world/app.ts';
import { askedOf } from './asked.ts';
import { type Plant, plantOf } from './plant.ts';

type Owned = { caller: Caller; plant: Plant; deviceIds: Set<string>; pointIds: Set<string> };

export type Foreign = {
  asked: number;
  /** Looked up by one that has what is meant, and found. */
  found: number;
  /** Answers with an id or a name of the other tenant only. */
  foreign: string[];
};

/**
 * Two tenants with `devices` devices each, half of them of the same names, and all points too; each looks up phrases for
 * its own and for those of the other, in turn.
 */
export async function lookUpForeign(
  world: World,
  random: Random,
  { devices, phrases }: { devices: number; phrases: number },
): Promise<Foreign> {
  const whole = plantOf(random, devices + devices / 2);
  const mine = await owned(world, 'names-a', {
    ...whole,
    devices: whole.devices.slice(0, devices),
  });
  const theirs = await owned(world, 'names-b', {
    ...whole,
    devices: whole.devices.slice(devices / 2),
  });
  const result: Foreign = { asked: 0, found: 0, foreign: [] };
  for (let n = 0; n < phrases; n += 1) {
    const { phrase } = askedOf(random, n % 2 === 0 ? theirs.plant : mine.plant);
    for (const [own, other] of [
      [mine, theirs],
      [theirs, mine],
    ] as const) {
      const { text, isOne } = await answered(world, own.caller, phrase);
      result.asked += 1;
      if (isOne) result.found += 1;
      if (isForeign(text, phrase, own, other)) result.foreign.push(`${phrase}: ${text}`);
    }
  }
  return result;
}

/** The pair, or what is said of several or of what is near; and whatever has all words. */
async function answered({ app }: World, caller: Caller, phrase: string) {
  const pair = await withNames(app, caller, (find) => find.pair({ pointId: phrase })).catch(
    (error: unknown) => {
      if (error instanceof AppError) return error.message;
      throw error;
    },
  );
  const listed = await withNames(app, caller, async (find) => ({
    devices: (await find.devices(phrase)).map((deviceId) => ({ deviceId })),
    points: await find.points(phrase, undefined),
  }));
  return { text: JSON.stringify([pair, listed]), isOne: typeof pair !== 'string' };
}

function isForeign(text: string, phrase: string, own: Owned, other: Owned): boolean {
  const idsOf = (field: string) =>
    [...text.matchAll(new RegExp(`${field}\\\\?"?:? ?\\\\?"?(\\d+)`, 'g'))].map(
      ([, id = '']) => id,
    );
  const pointIds = /"pointIds":\[([\d",]*)\]/.exec(text)?.[1]?.match(/\d+/g) ?? [];
  const ownNames = new Set(own.plant.devices.map(({ name }) => name));
  const isTheirs = new Set(
    other.plant.devices.map(({ name }) => name).filter((name) => !ownNames.has(name)),
  );
  const names = [...text.matchAll(/“([^”]+)”/g)].map(([, name = '']) => name);
  return (
    idsOf('deviceId').some((id) => !own.deviceIds.has(id)) ||
    [...idsOf('pointId'), ...pointIds].some((id) => !own.pointIds.has(id)) ||
    names.some((name) => name !== phrase && isTheirs.has(name))
  );
}

/** A tenant that has the plant. */
async function owned(world: World, code: string, plant: Plant): Promise<Owned> {
  const session = await world.tenant(code);
  const { tenantId } = session;
  const ids = await inTenant(world.app.db, tenantId, async (q) => {
    const { rows: drivers } = await sql<{ id: string }>`
      insert into svc_driver (tenant_id, driver_name, driver_code)
      values (${tenantId}, 'names', 'names') returning id`.execute(q);
    const profileIds = new Map<string, string>();
    const pointIds: string[] = [];
    for (const { id, points } of plant.profiles) {
      const { rows } = await sql<{ id: string }>`
        insert into svc_profile (tenant_id, profile_name, profile_code)
        values (${tenantId}, ${`kind ${id}`}, ${id}) returning id`.execute(q);
      const profileId = rows[0]?.id ?? '';
      profileIds.set(id, profileId);
      const { rows: added } = await sql<{ id: string }>`
        insert into svc_point (tenant_id, profile_id, point_name, point_code, point_type_flag, unit)
        select ${tenantId}, ${profileId}, name, name, 6, '°C'
        from unnest(${points.map(({ name }) => name)}::text[]) as name returning id`.execute(q);
      pointIds.push(...added.map((point) => point.id));
    }
    const { rows: devices } = await sql<{ id: string }>`
      insert into svc_device (tenant_id, driver_id, profile_id, device_name, device_code)
      select ${tenantId}, ${drivers[0]?.id}, profile, name, code
      from unnest(${plant.devices.map(({ profileId }) => profileIds.get(profileId))}::bigint[],
        ${plant.devices.map(({ name }) => name)}::text[],
        ${plant.devices.map(({ id }) => id)}::text[]) as given (profile, name, code)
      returning id`.execute(q);
    return { deviceIds: new Set(devices.map(({ id }) => id)), pointIds: new Set(pointIds) };
  });
  return { caller: agentIn(session), plant, ...ids };
}
