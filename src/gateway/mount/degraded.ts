import type { App } from '../../kernel/app/app.ts';
import { fullDisk } from '../../kernel/app/disk-room.ts';

/** What works in this process and is worse than it should be, a sentence each. */
export async function degraded(app: App): Promise<string[]> {
  if (!app.config.services.has('data')) return [];
  const [{ total }, full] = await Promise.all([app.bus.dead.list(0), fullDisk(app)]);
  const those = total === 1 ? '1 dead letter waits' : `${total} dead letters wait`;
  return [
    ...(total === 0 ? [] : [`message bus: ${those} for an operator (svc dead list)`]),
    ...(full === null ? [] : [full]),
  ];
}
