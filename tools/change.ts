import { z } from 'zod';

import { Id } from '../src/core/input/id.ts';
import { quoted } from '../src/core/sentence/voice.ts';
import * as change from '../src/data/change/change.ts';
import { defineTool, READS } from './define.ts';
import { Said, Shown } from './shape/text.ts';

const MAX_FIELDS = 6;

/** `unit: "°C" → "K"`, for at most 6 fields. */
const fields = (changes: Record<string, unknown>): string =>
  Object.entries(changes)
    .slice(0, MAX_FIELDS)
    .map(([name, pair]) => {
      const [before, after]: unknown[] = Array.isArray(pair) ? pair : [];
      return `${name}: ${JSON.stringify(before ?? null)} → ${JSON.stringify(after ?? null)}`;
    })
    .join(', ');

const names = (...given: string[]): string[] =>
  given.map((name) => (name === '' ? '' : quoted(name)));

export const changeTools = [
  defineTool({
    name: 'searchChanges',
    title: 'Search changes',
    domain: 'System',
    description:
      'Lists what was configured, proposed, decided and written, newest first, with old and new value.',
    permission: 'svc-center-data:change:list',
    scope: 'svc:read',
    input: z.strictObject({
      since: z.iso.datetime({ offset: true }).optional().describe('ISO-8601 time'),
      deviceId: Id.optional().describe('Of this device'),
      cursor: z.string().optional().describe('nextCursor'),
    }),
    output: z.object({
      records: z.array(
        z.object({
          at: z.string(),
          by: Shown(),
          what: Shown(400),
          say: Said,
        }),
      ),
      nextCursor: z.string().nullable(),
    }),
    annotations: READS,
    async run(app, caller, input) {
      const { records, nextCursor } = await change.list(app, caller, { ...input, limit: 10 });
      return {
        records: records.map((row) => ({
          at: row.at,
          by: `${row.actorName === '' ? 'platform' : quoted(row.actorName)} (${row.via})`,
          what: [
            row.operation,
            ...names(row.deviceName, row.pointName),
            row.entityType,
            ...names(row.entityName),
            fields(row.changes),
          ]
            .filter(Boolean)
            .join(' · '),
          say: row.say,
        })),
        nextCursor,
      };
    },
  }),
];
