import { z } from 'zod';

/** Output of a list resource; search tools find the rest of a truncated list. */
export const listOf = <R extends z.ZodObject>(record: R) =>
  z.object({
    total: z.int(),
    returned: z.int(),
    truncated: z.boolean(),
    records: z.array(record),
  });

export const visibleList = <R>(total: number, records: R[]) => ({
  total,
  returned: records.length,
  truncated: records.length < total,
  records,
});
