import type { ComponentChildren } from 'preact';

import type { Asked } from '../../client/ask.ts';
import { query, setQuery } from '../../client/route.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';
import { Loaded } from './loaded.tsx';
import { isWhole, SortButton, sorted, type Sorts } from './sort.tsx';

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
  /** What it can be sorted by while all of it is there, and the parameter of the address that has the order. */
  sorts?: Sorts<T, Sort>;
  sort?: string;
  children(row: T): ComponentChildren;
};

type Sort = keyof ReturnType<typeof partWords>['sorts'];

/** The rows of an answer below each other, in each of its states. */
export function List<T>(given: Given<T>) {
  const { asked, page, none, label, rows = 3, tall = false, sorts, sort, children } = given;
  return (
    <Loaded<readonly T[] | Part<T> | PageOf<T>> asked={asked} rows={rows} tall={tall}>
      {(data) => {
        const records = 'records' in data ? data.records : data;
        const isSorted = sorts !== undefined && isWhole(data);
        return (
          <>
            {records.length === 0 && none}
            {isSorted && records.length > 1 && <SortRow sorts={sorts} parameter={sort} />}
            <ul class="list" aria-label={label}>
              {(isSorted ? sorted(records, sorts, sort) : records).map((row) => children(row))}
            </ul>
            {page !== undefined && 'total' in data && <Pager name={page} of={data} />}
          </>
        );
      }}
    </Loaded>
  );
}

type SortGiven = { sorts: object; parameter: string | undefined };

/** A button for each order, of a list that has no columns. */
const SortRow = ({ sorts, parameter }: SortGiven) => (
  <div class="row" role="group" aria-label={partWords().sort}>
    <small class="quiet">{partWords().sort}</small>
    {Object.entries(partWords().sorts).map(
      ([by, title]) =>
        Object.hasOwn(sorts, by) && (
          <SortButton
            key={by}
            by={by}
            title={title}
            {...(parameter !== undefined && { parameter })}
          />
        ),
    )}
  </div>
);

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
