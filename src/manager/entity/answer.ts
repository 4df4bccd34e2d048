import { z } from 'zod';

import { AnswerId, named, stored } from '../../kernel/entity/answer.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';

/** The answer of a noun of the manager center (docs/specification/objects.md, Common fields). */
export const entity = <S extends z.ZodRawShape>(name: string, columns: S) =>
  stored(name, {
    tenantId: AnswerId,
    enableFlag: named(EnableFlag),
    signature: z.string(),
    version: z
      .number()
      .int()
      .meta({ examples: [1] }),
    ...columns,
  });

/** Objects by id, as the `list_by_ids` endpoints answer. */
export const byKey = <T extends { id: string }>(items: readonly T[]): Record<string, T> =>
  Object.fromEntries(items.map((item) => [item.id, item]));
