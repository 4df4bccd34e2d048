import { type Owned, populate } from '../cases/populate.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';

let count = 0;

/** The admin of a tenant of its own, who has one of everything and nothing to lose. */
export type Attacker = { session: Session; own: Owned };

export async function newAttacker(world: World): Promise<Attacker> {
  count += 1;
  const session = await world.tenant(`attacker-${count}`);
  return { session, own: await populate(world, session) };
}

/** The same attacker while login and device are still there, else a new one. */
export async function revived(world: World, attacker: Attacker): Promise<Attacker> {
  const { session, own } = attacker;
  for (const [path, id] of [
    ['manager/device', own.device],
    ['auth/service_account', own.serviceAccount],
    ['manager/command_attribute_config', own.commandAttributeConfig],
  ]) {
    const { status } = await session.get(`/api/v3/${path}/get_by_id`, { id: id ?? '' });
    if (status !== 200) return newAttacker(world);
  }
  return attacker;
}
