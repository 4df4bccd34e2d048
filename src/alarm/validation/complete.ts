import type { Queries } from '../../db/connect.ts';
import { withZone } from '../condition/schedule.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { requireAggregate } from './aggregate.ts';
import { requireAttribute } from './attribute.ts';
import { requireDevices } from './devices.ts';
import { withNamedPoints } from './named-points.ts';
import { requirePeers } from './peers.ts';

type Watched = Parameters<typeof withNamedPoints>[3];

/**
 * What is stored of what a rule says: with the time zone of its hours and the points that it names. Throws BadRequest for
 * points, attributes and groups that are not there.
 */
export const completed = async (
  q: Queries,
  tenantId: string,
  content: RuleContent,
  watched: (Watched & { id: string }) | null,
): ReturnType<typeof withNamedPoints> => {
  await requireAttribute(q, tenantId, content);
  await requireDevices(q, tenantId, content, watched);
  await requirePeers(q, tenantId, content, watched);
  await requireAggregate(q, tenantId, content, watched);
  return withNamedPoints(q, tenantId, await withZone(q, tenantId, content), watched);
};
