import {
  answered,
  type AnswerOf,
  type InputOf,
  type Operation,
  PREFIX,
  proven,
  queryOf,
} from './call.ts';
import { Refused, Unreachable } from './failure.ts';

/** Sends a table (text/csv) to an operation that takes one; the rest of its input goes into the query. Throws as `call` does. */
export async function sendTable<O extends Operation>(
  operation: O,
  { csv, ...rest }: InputOf<O> & { csv: string },
): Promise<AnswerOf<O>> {
  const [, path = ''] = operation.split(' ');
  return answered(`${PREFIX}${path}?${queryOf(rest)}`, {
    method: 'POST',
    body: csv,
    headers: { ...proven(), 'content-type': 'text/csv' },
  });
}

/**
 * Gives the answer of an operation to the browser as the file `name`. A plain link would not do: the session counts
 * with its proof alone, which no link carries. Throws as `call` does.
 */
export async function save<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  name: string,
): Promise<void> {
  const [method = '', path = ''] = operation.split(' ');
  const response = await fetch(`${PREFIX}${path}?${queryOf(input)}`, {
    method,
    headers: proven(),
  }).catch(() => {
    throw new Unreachable();
  });
  if (!response.ok)
    throw new Refused(response.status, `R${response.status}`, await messageOf(response), null);
  // The file may be cut off on its way.
  const blob = await response.blob().catch(() => {
    throw new Unreachable();
  });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASED_MS);
}

/** Browsers read it after the click. */
const RELEASED_MS = 10_000;

async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const isSaid = typeof body === 'object' && body !== null && 'message' in body;
  return isSaid ? String(body.message) : response.statusText;
}
