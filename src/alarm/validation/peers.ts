import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import type { BadRequest } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { fieldIn } from '../kind/condition.ts';
import { DEVIATIONS } from '../kind/fact-field.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { refusalOf, type Watches, type Wrong } from './wrong.ts';

/** Whether a condition is on how far a value is from the median of a group. */
const isOnMedian = ({ condition }: Pick<RuleContent, 'condition'>): boolean =>
  DEVIATIONS.has(fieldIn(condition) ?? '');

/** A median of a group that is not named, or not compared, or of no one point. */
export function oddPeers(content: RuleContent, { target, type }: Watches): Wrong | null {
  const { peers } = content;
  if (!isOnMedian(content))
    return peers
      ? {
          at: 'peers',
          why: 'no condition compares with the group: write the field deviation or deviationPercent',
        }
      : null;
  if (target !== 'POINT') return null;
  if (!peers)
    return { at: 'peers', why: 'a deviation is from the median of a group: write its groupId' };
  return type === null
    ? { at: 'condition', why: 'devices are compared by one point: choose the point to watch' }
    : null;
}

/** Throws BadRequest where the group of a rule is none of devices, or has too few with the point. */
export async function requirePeers(
  q: Queries,
  tenantId: string,
  { peers }: RuleContent,
  watched: { id: string; profileId: string } | null,
): Promise<void> {
  if (!peers || !watched) return;
  const { groupId, minDevices } = peers;
  const { rows } = await sql<{ name: string; count: number }>`
    select g.group_name as name, (select count(*)::int from svc_group_bind b
        join svc_device d on d.tenant_id = b.tenant_id and d.id = b.entity_id
        where b.tenant_id = g.tenant_id and b.group_id = g.id and b.entity_type_flag = g.entity_type_flag
          and b.enable_flag = ${EnableFlag.ENABLE} and d.profile_id = ${watched.profileId}) as count
    from svc_group g where g.tenant_id = ${tenantId} and g.id = ${groupId}
      and g.entity_type_flag = ${EntityType.DEVICE}`.execute(q);
  const [group] = rows;
  if (!group) throw refused('groupId', 'there is no such group of devices');
  if (group.count < minDevices)
    throw refused(
      'minDevices',
      `the group ${quoted(group.name)} has ${group.count} devices with the point, and the median needs ${minDevices}`,
    );
}

const refused = (of: string, why: string): BadRequest => refusalOf({ at: `peers.${of}`, why });
