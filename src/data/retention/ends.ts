import type { Queries } from '../../db/connect.ts';
import { DAY_MS } from '../history/closed.ts';

/** Until when (ms) values are no longer kept; null: all are. Whole days of UTC, as a closed row is of one. */
const endOf = (valueDays: number | null, now: number): number | null =>
  valueDays === null ? null : Math.floor(now / DAY_MS - valueDays) * DAY_MS;

/** The end (ms) of what is not kept: of devices of a profile, of others, and the last of all of them; null: all is kept. */
export type Ends = {
  ofProfile: Map<string, number | null>;
  ofOthers: number | null;
  last: number | null;
};

/** What the classes of a tenant say at `now` (ms). */
export async function endsOf(q: Queries, tenantId: string, now: number): Promise<Ends> {
  const classes = await q
    .selectFrom('svc_retention_class')
    .select(['defaultFlag', 'profileIds', 'valueDays', 'beginTime'])
    .where('tenantId', '=', tenantId)
    .execute();
  const ends: Ends = { ofProfile: new Map(), ofOthers: null, last: null };
  for (const { defaultFlag, profileIds, valueDays, beginTime } of classes) {
    const end = beginTime.getTime() > now ? null : endOf(valueDays, now);
    if (defaultFlag === 1) ends.ofOthers = end;
    for (const profileId of profileIds) ends.ofProfile.set(profileId, end);
    if (end !== null) ends.last = Math.max(ends.last ?? end, end);
  }
  return ends;
}
