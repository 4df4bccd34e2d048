import type { Resource } from '../../src/app.ts';

/** What agents read by its URI: the same operations as the tools, in the same words. */
export const resources: readonly Resource[] = [];
