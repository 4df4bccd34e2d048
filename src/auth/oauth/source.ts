import type { Response } from 'express';

import { sourceOf } from '../../kernel/request/source-address.ts';

/** The source of the request, as the gateway or the center set it. */
export function sourceAt(response: Response): string {
  const source: unknown = response.locals['source'];
  return typeof source === 'string' ? source : sourceOf(undefined);
}
