import { z } from 'zod';

/** What a resource that is a list answers; the rest of a truncated one is found by search tools. */
export const listOf = <R extends z.ZodObject>(record: R) =>
  z.object({
    total: z.int(),
    returned: z.int(),
    truncated: z.boolean(),
    records: z.array(record),
  });

export const shownList = <R>(total: number, records: R[]) => ({
  total,
  returned: records.length,
  truncated: records.length < total,
  records,
});
