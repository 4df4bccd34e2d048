import { z } from 'zod';

export const MAX_PAGE_SIZE = 100;

/** Page of a list request (docs/specification/endpoints.md, Paging): a size above 100 is clamped. */
export const Page = z
  .object({
    current: z.coerce.number().int().min(1).max(1_000_000).default(1),
    size: z.coerce
      .number()
      .int()
      .min(1)
      .default(20)
      .transform((size) => Math.min(size, MAX_PAGE_SIZE)),
  })
  .prefault({});
export type Page = z.infer<typeof Page>;

export type Paged<T> = {
  records: T[];
  total: number;
  size: number;
  current: number;
  pages: number;
};

export const paged = <T>(page: Page, total: number, records: T[]): Paged<T> => ({
  records,
  total,
  size: page.size,
  current: page.current,
  pages: Math.ceil(total / page.size),
});

export const offset = (page: Page): number => (page.current - 1) * page.size;
