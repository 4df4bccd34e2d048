import type { Queries } from '../../db/connect.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { RuleContent } from '../kind/rule-ext.ts';

/** The names of devices and groups, by id. */
export type Names = Record<'device' | 'group', ReadonlyMap<string, string>>;

/** The names of the devices and groups that rules name. */
export async function namesIn(
  q: Queries,
  tenantId: string,
  contents: readonly RuleContent[],
): Promise<Names> {
  const deviceIds = contents.flatMap(({ devices }) => devices?.ids ?? []);
  const groupIds = contents.flatMap(({ devices, peers }) => [
    ...(devices?.groupIds ?? []),
    ...(peers ? [peers.groupId] : []),
  ]);
  const [devices, groups] = await Promise.all([
    deviceIds.length === 0
      ? []
      : q
          .selectFrom('svc_device')
          .select(['id', 'deviceName as name'])
          .where('tenantId', '=', tenantId)
          .where((eb) => eb('id', '=', eb.fn.any(eb.val(deviceIds))))
          .execute(),
    groupIds.length === 0
      ? []
      : q
          .selectFrom('svc_group')
          .select(['id', 'groupName as name'])
          .where('tenantId', '=', tenantId)
          .where((eb) => eb('id', '=', eb.fn.any(eb.val(groupIds))))
          .execute(),
  ]);
  const byId = (rows: readonly { id: string; name: string }[]) =>
    new Map(rows.map(({ id, name }) => [id, name]));
  return { device: byId(devices), group: byId(groups) };
}

/** Names in quotation marks, the id of what has none any more. */
export const named = (of: ReadonlyMap<string, string>, ids: readonly string[]): string =>
  ids.map((id) => quoted(of.get(id) ?? id)).join(', ');
