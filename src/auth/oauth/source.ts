import type { Response } from 'express';

import { sourceOf } from '../../core/source-address.ts';

/** Where the request came from, as the gateway or the center found it. */
export function sourceAt(response: Response): string {
  const source: unknown = response.locals['source'];
  return typeof source === 'string' ? source : sourceOf(undefined);
}
