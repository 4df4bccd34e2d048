import { query, setQuery } from '../../route/route.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';

/** An answer that is one page of a list. */
export type PageOf<T> = {
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

type Given = {
  /** The parameter of the address that holds the page. */
  name: string;
  of: PageOf<unknown>;
};

/** How much of a list is shown, with its next and previous page; nothing where all of it is. */
export const Pager = ({ name, of: { records, current, size, total } }: Given) =>
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
