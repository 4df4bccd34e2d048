import { z } from 'zod';

import { Citation } from './citation.ts';
import { Facts } from './facts.ts';
import { Plot } from './plots.ts';

/** One tool call of an answer (docs/specification/tools.md 5); its arguments and result in short. */
const Trace = z.object({
  callId: z.string(),
  name: z.string(),
  title: z.string().catch(''),
  domain: z.string().catch(''),
  args: z.string().catch(''),
  result: z.string().catch(''),
  plots: z.array(Plot).catch([]),
  status: z.string(),
  durationMs: z.number().catch(0),
});

const Attached = z.object({
  id: z.string(),
  fileName: z.string(),
  contentType: z.string(),
  size: z.number(),
});

/**
 * Content of a stored message; `actions` are ids, svc_action holds their state. A message with a `receipt`
 * comes from the platform and reports the end of an action (src/agentic/decision/notice.ts).
 */
export const Content = z.object({
  text: z.string().catch(''),
  tools: z.array(Trace).catch([]),
  actions: z.array(z.string()).catch([]),
  /** The values that the figures of the text show. */
  citations: z.array(Citation).optional().catch(undefined),
  /** Of an answer; its text has them not. */
  facts: Facts.optional().catch(undefined),
  attachments: z.array(Attached).optional().catch(undefined),
  /** Of an answer that failed: why, as its client got it, without the words of its vendor. */
  failure: z.string().optional().catch(undefined),
  receipt: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
export type Content = z.infer<typeof Content>;
