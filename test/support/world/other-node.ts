import type { App } from '../../../src/app.ts';
import { openCaches } from '../../../src/caches.ts';

/** Another node on the same database and bus: it shares nothing in memory with `app`. */
export function otherNode(app: App, changes: Partial<App> = {}): App {
  const node = { ...app, ...changes };
  return { ...node, caches: openCaches(node.clock) };
}
