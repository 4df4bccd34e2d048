import { z } from 'zod';

import { Text } from '../../kernel/input/text.ts';

/**
 * An extension object of rules and notifications: the content, and around it a label, a version and a remark
 * of the client, which have no effect (docs/specification/objects.md, Common fields).
 */
export const extOf = <C extends z.ZodType>(content: C) =>
  z.object({
    type: Text(64).optional(),
    version: z.number().int().min(0).max(1_000_000).optional(),
    remark: Text(512).optional(),
    content,
  });
