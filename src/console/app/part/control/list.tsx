import type { ComponentChildren } from 'preact';

import type { Asked } from '../../client/ask.ts';
import { Loaded } from './loaded.tsx';
import { type PageOf, Pager } from './pager.tsx';

type Part<T> = { records: readonly T[] };
type Given<T> = {
  /** Of which it has rows: all, a part of them, or a page, whose number is the parameter `page` of the address. */
  asked: Asked<readonly T[]> | Asked<Part<T>> | Asked<PageOf<T>>;
  page?: string;
  /** Where there are no rows. */
  none: ComponentChildren;
  label?: string;
  /** How many lines it usually has. */
  rows?: number;
  tall?: boolean;
  children(row: T): ComponentChildren;
};

/** The rows of an answer below each other, in each of its states. */
export function List<T>({ asked, page, none, label, rows = 3, tall = false, children }: Given<T>) {
  return (
    <Loaded<readonly T[] | Part<T> | PageOf<T>> asked={asked} rows={rows} tall={tall}>
      {(data) => {
        const records = 'records' in data ? data.records : data;
        return (
          <>
            {records.length === 0 && none}
            <ul class="list" aria-label={label}>
              {records.map((row) => children(row))}
            </ul>
            {page !== undefined && 'total' in data && <Pager name={page} of={data} />}
          </>
        );
      }}
    </Loaded>
  );
}
