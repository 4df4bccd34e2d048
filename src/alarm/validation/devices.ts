import type { Queries } from '../../db/connect.ts';
import type { BadRequest } from '../../kernel/errors.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { refusalOf, type Watches, type Wrong } from './wrong.ts';

type Given = Pick<RuleContent, 'devices'>;

/** Chosen devices of a rule on drivers. */
export const oddDevices = ({ devices }: Given, { target }: Watches): Wrong | null =>
  devices && target === 'DRIVER'
    ? { at: 'devices', why: 'the rule watches drivers: leave the devices out' }
    : null;

/** Throws BadRequest for devices and groups that are not there, and for devices without the point. */
export async function requireDevices(
  q: Queries,
  tenantId: string,
  { devices }: Given,
  watched: { profileId: string } | null,
): Promise<void> {
  if (!devices) return;
  const { ids = [], groupIds = [] } = devices;
  const [known, groups] = await Promise.all([
    q
      .selectFrom('svc_device')
      .select(['id', 'profileId'])
      .where('tenantId', '=', tenantId)
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
      .execute(),
    q
      .selectFrom('svc_group')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DEVICE)
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(groupIds))))
      .execute(),
  ]);
  const found = new Map(known.map(({ id, profileId }) => [id, profileId]));
  const missing = ids.filter((id) => !found.has(id));
  if (missing.length > 0) throw refused('ids', `there is no device ${missing.join(', ')}`);
  const without = watched ? ids.filter((id) => found.get(id) !== watched.profileId) : [];
  if (without.length > 0)
    throw refused('ids', `device ${without.join(', ')} does not have the point`);
  const unknown = groupIds.filter((id) => !groups.some((group) => group.id === id));
  if (unknown.length > 0)
    throw refused('groupIds', `there is no group of devices ${unknown.join(', ')}`);
}

const refused = (of: keyof NonNullable<Given['devices']>, why: string): BadRequest =>
  refusalOf({ at: `devices.${of}`, why });
