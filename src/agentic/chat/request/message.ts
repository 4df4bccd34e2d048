import { z } from 'zod';

import { Content, withoutOthers } from './content.ts';

const MAX_CALLS = 128;
const MAX_ARGUMENTS = 300_000;

const Call = z
  .object({
    id: z.string().min(1).max(256),
    function: z.object({
      name: z.string().min(1).max(128),
      arguments: z
        .union([z.string(), z.record(z.string(), z.unknown()).transform((o) => JSON.stringify(o))])
        .pipe(z.string().max(MAX_ARGUMENTS)),
    }),
  })
  .transform(({ id, function: named }) => ({ id, ...named }));

/** A message of a request; calls without an id or a name are left out, as no result can belong to them. */
export const RequestMessage = z
  .preprocess(
    withoutOthers,
    z.object({
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
      content: Content,
      tool_calls: z.array(z.unknown()).max(MAX_CALLS).nullish(),
      tool_call_id: z.string().max(256).nullish(),
      name: z.string().max(256).nullish(),
    }),
  )
  .transform(({ role, content, name, tool_calls: calls, tool_call_id: callId }, context) => {
    if (role !== 'user' && (content.media.length > 0 || content.files.length > 0)) {
      context.addIssue({
        code: 'custom',
        path: ['content'],
        message: 'images and files may be in user messages only',
      });
    }
    return {
      role,
      ...content,
      calls: (calls ?? []).flatMap((call) => Call.safeParse(call).data ?? []),
      callId: callId ?? '',
      /** Of a result without an id: the tool that it is of. */
      name: name ?? '',
    };
  });
export type RequestMessage = z.output<typeof RequestMessage>;
