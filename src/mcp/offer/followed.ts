import { ZodError } from 'zod';

import { denialOf, type Limited } from '../../auth/connection/denial.ts';
import type { App } from '../../kernel/app/app.ts';
import { offerOf } from './resource-adapter.ts';
import { resolve } from './resource-uri.ts';

/**
 * The keys of the changes that alter what a resource says, for a caller that may read it; null for a resource that is
 * unknown to the caller, and for one that no change of the feed alters.
 */
export function keysFor(app: App, caller: Limited, uri: string): readonly string[] | null {
  const found = resolve(app.resources, uri);
  if (!found?.resource.follows || denialOf(caller, offerOf(found.resource)) !== null) return null;
  try {
    return found.resource.follows(found.params);
  } catch (error) {
    if (error instanceof ZodError) return null;
    throw error;
  }
}
