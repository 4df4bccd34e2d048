import { keepEpisode } from '../../../src/alarm/alarm/episode.ts';
import { raise } from '../../../src/alarm/alarm/raise.ts';
import { inTenant } from '../../../src/db/tenant.ts';
import type { World } from '../world/app.ts';

type Made = { tenantId: string; deviceId?: string; message?: string };

/** Raises an alarm in a transaction of its own, as a report does. */
export const happens = ({ app }: Pick<World, 'app'>, made: Made): Promise<string> =>
  inTenant(app.db, made.tenantId, (q) => {
    const { tenantId, deviceId = '0', message = 'It is too warm' } = made;
    const now = app.clock.now();
    const episode = { firstTriggerTime: new Date(now), lastTriggerTime: new Date(now) };
    const kind = { target: 'DEVICE', type: 'REPORT', source: 'SYSTEM', level: 1 } as const;
    return raise(q, { ...kind, tenantId, deviceId, entityId: deviceId, message, episode, now });
  });

/** Ends the episode of an alarm. */
export const recovers = (
  { app }: Pick<World, 'app'>,
  { tenantId, alarmId }: { tenantId: string; alarmId: string },
): Promise<void> =>
  inTenant(app.db, tenantId, (q) =>
    keepEpisode(q, tenantId, alarmId, {
      state: 'RECOVERED',
      lastRecoverTime: new Date(app.clock.now()),
    }),
  );
