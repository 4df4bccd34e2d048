import { z } from 'zod';

import { ListedAlarm } from '../../alarm/search/answer.ts';
import { get, type Route } from '../../kernel/app/route.ts';
import { input } from '../../kernel/input/input.ts';
import { HandoverAnswer } from './answer.ts';
import { handover } from './handover.ts';

const DEFAULT_HOURS = 8;
const HOUR_MS = 3_600_000;

const Since = input({
  since: z.iso
    .datetime({ offset: true })
    .refine((since) => since >= '0002', 'must be of this era')
    .meta({ examples: ['2026-03-01T08:30:00Z'] })
    .describe(`Without one: ${DEFAULT_HOURS} hours ago`)
    .optional(),
});

/** How the plant stands, and what happened since a time. */
export const routes: readonly Route[] = [
  get(
    '/handover/get',
    {
      needs: 'action:get',
      scope: 'svc:read',
      risk: 'read',
      summary:
        'What needs attention: alarms, devices that are away, proposals, writes of unknown outcome',
      reason: 'How the plant is, in one answer for people',
      input: Since,
      output: HandoverAnswer,
    },
    async (app, caller, given): Promise<HandoverAnswer> => {
      const now = app.clock.now();
      const since = new Date(given.since ?? now - DEFAULT_HOURS * HOUR_MS);
      const { alarms, outages, ...rest } = await handover(app, caller, { since });
      return {
        since: since.toISOString(),
        alarms: alarms && {
          ...alarms.firing.counts,
          rows: alarms.firing.alarms.map((alarm) => ListedAlarm.parse(alarm)),
        },
        unnotified: rest.unnotified,
        maintenance: rest.maintenance,
        outages: outages && {
          ...outages,
          devices: outages.devices.map(({ since: gone, ...device }) => ({
            ...device,
            since: gone?.toISOString() ?? null,
          })),
        },
        silentPoints: rest.silentPoints,
        pending: rest.pending,
        unknownWrites: rest.unknownWrites,
      };
    },
  ),
];
