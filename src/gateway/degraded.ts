import type { App } from '../kernel/app/app.ts';

/** What works in this process and is worse than it should be, a sentence each. */
export async function degraded({ bus, config }: App): Promise<string[]> {
  if (!config.services.has('data')) return [];
  const { total } = await bus.dead.list(0);
  if (total === 0) return [];
  const those = total === 1 ? '1 dead letter waits' : `${total} dead letters wait`;
  return [`message bus: ${those} for an operator (svc dead list)`];
}
