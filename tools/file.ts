import { z } from 'zod';

import { readFiles } from '../src/agentic/attachment/read.ts';
import type { Tool } from '../src/kernel/app/app.ts';
import { Text } from '../src/kernel/input/text.ts';
import { defineTool, READS } from './shape/define.ts';
import { Visible } from './shape/text.ts';

const MAX_PAGE = 100_000;
const MAX_OFFSET = 10_000_000;
const MAX_NAME = 128;
const MAX_EXCERPT = 400;
const MAX_TEXT = 3_000;

const tool = defineTool({
  name: 'readFile',
  title: 'Read an attached file',
  domain: 'File',
  description:
    'Finds words in the files of this conversation (manuals, tables), with their pages, or reads a page. Name file and page in the answer.',
  permission: 'svc-center-agentic:attachment:list',
  scope: 'svc:read',
  input: z.strictObject({
    words: Text(200).default('').describe('Of the file, in its language'),
    file: Text(MAX_NAME).default('').describe('Name or id; none: all'),
    page: z.number().int().min(1).max(MAX_PAGE).optional().describe('To read, instead of words'),
    from: z.number().int().min(0).max(MAX_OFFSET).default(0).describe('`more` of the page before'),
  }),
  output: z.object({
    files: z.array(
      z.object({
        id: z.string(),
        fileName: Visible(MAX_NAME),
        pages: z.number(),
        isWhole: z.boolean(),
        problem: z.string().nullable(),
      }),
    ),
    found: z.array(
      z.object({ fileName: Visible(MAX_NAME), page: z.number(), excerpt: Visible(MAX_EXCERPT) }),
    ),
    text: Visible(MAX_TEXT).nullable(),
    more: z.number().nullable(),
  }),
  annotations: READS,
  run: (app, caller, { page = null, ...wanted }) => readFiles(app, caller, { ...wanted, page }),
});

/** In the list of turns with files. They are for those of their conversation: a card, which more people read, does not quote them. */
export const fileTools: readonly Tool[] = [
  {
    ...tool,
    untrusted: {
      fields: tool.untrusted?.fields ?? [],
      texts: (answer) =>
        (tool.untrusted?.texts(answer) ?? []).map((text) =>
          text.field.endsWith('fileName') ? text : { ...text, text: 'an attached file' },
        ),
    },
  },
];
