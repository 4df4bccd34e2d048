import { setQuery } from '../../route/route.ts';
import { partWords } from '../../word/part.ts';
import { Button } from './button.tsx';

type Given = {
  /** The parameter of the address that holds the page. */
  name: string;
  current: number;
  size: number;
  /** Rows that are shown, and rows of the whole list. */
  shown: number;
  total: number;
};

/** The page of a list in the address; 1 where it says none. */
export const pageIn = (query: URLSearchParams, name: string): number =>
  Math.max(1, Number.parseInt(query.get(name) ?? '1', 10) || 1);

/** How much of a list is shown, with its next and previous page; nothing where all of it is. */
export const Pager = ({ name, current, size, shown, total }: Given) =>
  total <= size && current === 1 ? null : (
    <div class="row">
      <span class="quiet tabular">{partWords().of((current - 1) * size + shown, total)}</span>
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
