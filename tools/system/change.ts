import { z } from 'zod';

import * as change from '../../src/data/change/change.ts';
import type { ChangeLine } from '../../src/data/change/line.ts';
import { Text } from '../../src/kernel/input/text.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { withNames } from '../../src/manager/find/resolve.ts';
import { momentOf, Since } from '../given/window.ts';
import { cutTo, maxTokens } from '../shape/budget.ts';
import { defineTool, READS } from '../shape/define.ts';
import { Ref } from '../shape/ref.ts';
import { Phrase, Sentence, Visible, Unit } from '../shape/text.ts';

/** More than the longest answer holds. */
const MAX_FOUND = 90;

/** A change; fields that a change of its kind does not have are left out. */
export const Line = z.object({
  at: z.string(),
  by: Visible(120),
  via: z.string(),
  what: Phrase(300),
  device: Visible().optional(),
  point: Visible().optional(),
  from: Visible(80).optional(),
  to: Visible(80).optional(),
  unit: Unit.optional(),
  result: z.string().optional(),
  say: Sentence.optional(),
  comment: Visible(120).optional(),
  tainted: z.literal(true).optional(),
  actionId: z.string().optional(),
  commandId: z.string().optional(),
});

/** The row of a write says by whom it was proposed and confirmed: the rows of both would only say it again. */
function reportedByWrites(lines: readonly ChangeLine[]): (line: ChangeLine) => boolean {
  const written = new Set(
    lines.flatMap(({ what, actionId }) => (what === 'write' ? [actionId] : [])),
  );
  return ({ what, actionId }) =>
    actionId !== undefined && written.has(actionId) && ['propose', 'confirm'].includes(what);
}

export const changeTools = [
  defineTool({
    name: 'searchChanges',
    title: 'Search changes',
    domain: 'System',
    listed: 'direct',
    description:
      'Lists what was configured, proposed, decided and written, newest first: by whom, old and new value.',
    permission: 'svc-center-data:change:list',
    scope: 'svc:read',
    input: z.strictObject({
      since: Since.optional().describe('ISO-8601 or hours ago'),
      until: Since.optional().describe('As since'),
      deviceId: Ref.optional().describe('Id or name'),
      pointId: Ref.optional().describe('Id or name'),
      kind: z
        .enum(['configured', 'proposed', 'decided', 'written'])
        .optional()
        .describe('Only these'),
      by: Text(64).optional().describe('Part of a name'),
      via: Text(16).min(1).optional().describe('login, oauth, key, model, action, system'),
      cursor: z.string().min(1).max(200).optional().describe('nextCursor'),
      ...maxTokens,
    }),
    output: z.object({
      returned: z.int().optional(),
      nextCursor: z.string().nullable(),
      records: z.array(Line),
    }),
    annotations: READS,
    async run(app, caller, { since, until, deviceId, pointId, maxTokens: most, ...narrow }) {
      const now = app.clock.now();
      const { lines, cursors, isEnd } = await withNames(app, caller, async (find) =>
        change.lines(app, caller, {
          ...narrow,
          ...(await find.ids({ deviceId, pointId })),
          since: momentOf(since, { zone: caller.timezone, now })?.toISOString(),
          until: momentOf(until, { zone: caller.timezone, now }),
          limit: MAX_FOUND,
        }),
      );
      const isSaid = reportedByWrites(lines);
      const told = lines.flatMap((line, index) =>
        narrow.kind === undefined && isSaid(line) ? [] : [{ line, cursor: cursors[index] }],
      );
      const { rows, left } = cutTo(
        told.map(({ line }) => ({ ...line, at: inZone(line.at, caller.timezone) })),
        most,
      );
      const isWhole = left === 0 && isEnd;
      return {
        returned: rows.length,
        nextCursor: isWhole ? null : (told[rows.length - 1]?.cursor ?? null),
        records: rows,
      };
    },
  }),
];
