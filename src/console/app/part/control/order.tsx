import { query, setQuery } from '../../client/route.ts';
import { partWords } from '../../word/part.ts';
import { Choice } from './field.tsx';

const PARAMETER = 'order';
/** In the address: the first, which the server has without being asked for. */
const FIRST = '';

/** The order that the address names, of those that the server has; undefined: its own. */
export const orderIn = <T extends string>(orders: readonly T[]): T | undefined =>
  orders.find((each) => each === query.value.get(PARAMETER));

type Given = {
  /** As the server has them, its own the first. */
  orders: readonly string[];
  /** The parameter of the address that holds the page, which begins anew. */
  page?: string;
};

/** Chooses the order of a list, which the server has over all of its pages. */
export function Order({ orders, page }: Given) {
  const w = partWords();
  return (
    <Choice
      label={w.order}
      value={orderIn(orders.slice(1)) ?? FIRST}
      onChange={(order) =>
        setQuery({ [PARAMETER]: order, ...(page !== undefined && { [page]: null }) })
      }
      options={orders.map((each, index) => [index === 0 ? FIRST : each, wordOf(each)] as const)}
    />
  );
}

/** Names and codes are said alike, whatever they are of. */
function wordOf(order: string): string {
  const words: Readonly<Record<string, string>> = partWords().orders;
  const alike = order.replace(
    /^(-?).+(Name|Code)$/,
    (_, down: string, of: string) => down + of.toLowerCase(),
  );
  return words[alike] ?? order;
}
