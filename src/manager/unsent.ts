import type { App } from '../app.ts';
import { perApp } from '../auth/per-app.ts';
import type { Which } from './metadata.ts';

/** News that the bus did not take, by what it is about. */
type Unsent = { tenantId: string; about: Which | { removed: string; driverCode: string } };

const MAX_UNSENT = 10_000;

const unsentOf = perApp(() => new Map<string, Unsent>());

/** Beyond the bound the news is lost until the driver registers again. */
export function keepUnsent(app: App, tenantId: string, about: Unsent['about']): void {
  const unsent = unsentOf(app);
  if (unsent.size < MAX_UNSENT) unsent.set(JSON.stringify([tenantId, about]), { tenantId, about });
}

/** Hands out what waited, once; `send` keeps what it cannot send either. */
export async function resend(app: App, send: (news: Unsent) => Promise<void>): Promise<void> {
  const unsent = unsentOf(app);
  const waiting = [...unsent.values()];
  unsent.clear();
  for (const news of waiting) await send(news);
}
