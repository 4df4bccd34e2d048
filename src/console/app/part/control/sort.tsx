import { query, setQuery } from '../../client/route.ts';
import { partWords } from '../../word/part.ts';
import { language } from '../../word/words.ts';
import { Button } from './button.tsx';

type Value = string | number | null;
/** What rows can be sorted by. */
export type Sorts<T, K extends string = string> = Readonly<Partial<Record<K, (row: T) => Value>>>;

/** Where nothing else is said, the parameter of the address that has the order: `name`, or `-name` for its reverse. */
const PARAMETER = 'sort';

function orderIn(parameter: string): { by: string; isDown: boolean } {
  const given = query.value.get(parameter) ?? '';
  return { by: given.replace(/^-/, ''), isDown: given.startsWith('-') };
}

/** The server cuts no list without a total before it has as many rows. */
const CUT = 100;

/** Whether all rows are there; of a part that goes on from a cursor that is not known. */
export function isWhole(
  given: readonly unknown[] | { records: readonly unknown[]; total?: number },
): boolean {
  if (!('records' in given)) return given.length < CUT;
  return given.total !== undefined && given.total <= given.records.length;
}

/** Rows in the order of the address, or as they came. They have to be all that there are: no other order would be true. */
export function sorted<T>(
  rows: readonly T[],
  sorts: Sorts<T>,
  parameter = PARAMETER,
): readonly T[] {
  const { by, isDown } = orderIn(parameter);
  const valueOf = Object.hasOwn(sorts, by) ? sorts[by] : undefined;
  if (!valueOf) return rows;
  const texts = new Intl.Collator(language.value, { numeric: true });
  const order = (one: Value, other: Value): number => {
    // What is not known is the last in both directions.
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    const isNumber = typeof one === 'number' && typeof other === 'number';
    const up = isNumber ? one - other : texts.compare(String(one), String(other));
    return isDown ? -up : up;
  };
  return rows.toSorted((one, other) => order(valueOf(one), valueOf(other)));
}

/** How a column is sorted, as `aria-sort` has it. */
export function directionOf(
  by: string,
  parameter = PARAMETER,
): 'ascending' | 'descending' | 'none' {
  const order = orderIn(parameter);
  if (order.by !== by) return 'none';
  return order.isDown ? 'descending' : 'ascending';
}

const ARROWS = { ascending: ' ↑', descending: ' ↓', none: '' } as const;

type Given = {
  by: string;
  title: string;
  parameter?: string;
  /** In the head of a column, which says the direction itself. */
  isHead?: boolean;
};

/** Sorts by a column, then in reverse, then not any more. */
export function SortButton({ by, title, parameter = PARAMETER, isHead = false }: Given) {
  const direction = directionOf(by, parameter);
  const next = { none: by, ascending: `-${by}`, descending: null }[direction];
  const isSorted = direction !== 'none';
  return (
    <Button
      kind="quiet"
      {...(!isHead && { isPressed: isSorted })}
      {...(!isHead && isSorted && { label: `${title}, ${partWords()[direction]}` })}
      onPress={() => setQuery({ [parameter]: next }, false)}
    >
      {title}
      <span aria-hidden="true">{ARROWS[direction]}</span>
    </Button>
  );
}
