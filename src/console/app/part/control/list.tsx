import type { ComponentChildren } from 'preact';

import type { Asked } from '../../client/ask.ts';
import { query, setQuery } from '../../client/route.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';
import { Loaded } from './loaded.tsx';

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

/** An answer that is one page of a list. */
type PageOf<T> = {
  records: readonly T[];
  current: number;
  size: number;
  total: number;
};

/** The page to ask for, from the parameter `name` of the address; the first where it says none. */
export const pageIn = (name: string, size: number): { current: number; size: number } => ({
  current: Math.max(1, Number.parseInt(query.value.get(name) ?? '1', 10) || 1),
  size,
});

type PagerGiven = {
  /** The parameter of the address that holds the page. */
  name: string;
  of: PageOf<unknown>;
};

/** How much of a list is shown, with its next and previous page; nothing where all of it is. */
const Pager = ({ name, of: { records, current, size, total } }: PagerGiven) =>
  total <= size && current === 1 ? null : (
    <div class="row">
      <span class="quiet tabular">
        {partWords().of((current - 1) * size + records.length, total)}
      </span>
      {current > 1 && (
        <Button onPress={() => setQuery({ [name]: String(current - 1) }, false)}>
          {partWords().back}
        </Button>
      )}
      {current * size < total && (
        <Button onPress={() => setQuery({ [name]: String(current + 1) }, false)}>
          {partWords().next}
        </Button>
      )}
    </div>
  );

/** The next part of a list that is read from a cursor, kept in the address as `after`, and its begin. */
export const Further = ({ next }: { next: string | null }) => (
  <div class="row">
    {query.value.has('after') && (
      <Button onPress={() => setQuery({ after: null }, false)}>{partWords().newest}</Button>
    )}
    {next !== null && (
      <Button onPress={() => setQuery({ after: next }, false)}>{partWords().next}</Button>
    )}
  </div>
);
