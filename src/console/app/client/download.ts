import { proven, queryOf } from './call.ts';
import { Refused, Unreachable } from './failure.ts';
import type { Operations } from './operations.ts';

type Table = 'GET /data/point_value/export';

/** Saves what an operation answers as a file: a link alone would carry no proof. Throws Refused and Unreachable. */
export async function download<O extends Table>(
  operation: O,
  input: Operations[O]['input'],
  name: string,
): Promise<void> {
  const [, path = ''] = operation.split(' ');
  const response = await fetch(`/api/v3${path}?${queryOf(input)}`, {
    headers: proven(),
  }).catch(() => {
    throw new Unreachable();
  });
  if (!response.ok)
    throw new Refused(response.status, `R${response.status}`, response.statusText, null);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
