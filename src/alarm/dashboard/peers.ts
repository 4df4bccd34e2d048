import { sql } from 'kysely';
import { z } from 'zod';

import { clamped, daysStart } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';

const MAX_DEVICES = 50;

export const PeerQuery = input({ days: clamped({ most: 30, fallback: 7 }) });
export const PeerDeviation = z
  .object({
    profileId: AnswerId,
    deviceId: AnswerId,
    alarmCount: z.number().int().describe('Alarms of the device, its points and its events'),
    peerMedian: z.number().int().describe('Median of all devices of the profile, the lower of two'),
    ratio: z.number().describe('alarmCount to peerMedian, which counts as 1 at least'),
  })
  .meta({ id: 'PeerDeviation' });
type PeerDeviation = z.output<typeof PeerDeviation>;

/** Devices with more alarms than the median of their profile, the farthest above it first. */
export const peers: Operation<z.output<typeof PeerQuery>, PeerDeviation[]> = (
  app,
  { tenantId, timezone },
  given,
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const since = daysStart(given, { now: app.clock.now(), zone: timezone });
    const { rows } = await sql<PeerDeviation>`
      with counted as (
        select d.profile_id, d.id as device_id, coalesce(c.alarms, 0)::int as alarm_count
        from svc_device d
        left join (select device_id, count(*) as alarms from svc_entity_alarm
          where tenant_id = ${tenantId} and create_time >= ${new Date(since)} and device_id <> 0
          group by device_id) c on c.device_id = d.id
        where d.tenant_id = ${tenantId}
      ), medians as (
        select profile_id, percentile_disc(0.5) within group (order by alarm_count) as peer_median
        from counted group by profile_id having count(*) > 1
      )
      select profile_id, device_id, alarm_count, peer_median,
        alarm_count::float8 / greatest(peer_median, 1) as ratio
      from counted join medians using (profile_id) where alarm_count > peer_median
      order by ratio desc, alarm_count desc, device_id limit ${MAX_DEVICES}`.execute(q);
    return rows;
  });
