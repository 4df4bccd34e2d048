import { z } from 'zod';

import { readManuals } from '../src/agentic/manual/read.ts';
import { Text } from '../src/kernel/input/text.ts';
import { withNames } from '../src/manager/find/resolve.ts';
import { defineTool, READS } from './shape/define.ts';
import { Ref } from './shape/ref.ts';
import { Visible } from './shape/text.ts';

const MAX_PAGE = 10_000;
const MAX_OFFSET = 100_000;
const MAX_EXCERPT = 400;
const MAX_TEXT = 3_000;

export const manualTool = defineTool({
  name: 'readManual',
  title: 'Read manuals',
  domain: 'Device',
  description:
    'Finds words in the manuals of a device (with those of its profile and the tenant), with their pages, or reads a page. Name manual and page in the answer.',
  permission: 'svc-center-agentic:manual:list',
  scope: 'svc:read',
  input: z.strictObject({
    words: Text(200).default('').describe('A question or words, in the language of the manual'),
    deviceId: Ref.optional().describe('Id or name'),
    profileId: Ref.optional().describe('Instead: id or name'),
    manual: Text(64).default('').describe('Name or id; none: all'),
    page: z.number().int().min(1).max(MAX_PAGE).optional().describe('To read, instead of words'),
    from: z.number().int().min(0).max(MAX_OFFSET).default(0).describe('`more` of the page before'),
  }),
  output: z.object({
    found: z.array(
      z.object({
        manualId: z.string(),
        manualName: Visible(),
        page: z.number(),
        pages: z.number(),
        text: Visible(MAX_EXCERPT),
      }),
    ),
    read: z
      .object({
        manualId: z.string(),
        manualName: Visible(),
        page: z.number(),
        pages: z.number(),
        text: Visible(MAX_TEXT),
      })
      .nullable(),
    more: z.number().nullable(),
    manuals: z.array(z.object({ manualId: z.string(), manualName: Visible(), pages: z.number() })),
  }),
  annotations: READS,
  run: (app, caller, { deviceId, profileId, page = null, ...wanted }) =>
    withNames(app, caller, async (find) => {
      const ids = await find.ids({ deviceId, profileId });
      const { manuals, ...read } = await readManuals(app, caller, { ...wanted, ...ids, page });
      return { ...read, manuals: manuals.map(({ id, ...row }) => ({ manualId: id, ...row })) };
    }),
});
