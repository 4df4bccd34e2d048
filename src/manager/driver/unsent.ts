import type { App } from '../../app.ts';
import { perApp } from '../../per-app.ts';
import type { Which } from './driver-updates.ts';

/** News that the bus did not take, by what it is about. */
type Unsent = { tenantId: string; about: Which | { removed: string; driverCode: string } };

const MAX_UNSENT = 10_000;

const unsentOf = perApp(() => ({ news: new Map<string, Unsent>(), isAll: false }));

/** Beyond the bound all drivers are to be told everything. */
export function keepUnsent(app: App, tenantId: string, about: Unsent['about']): void {
  const { news } = unsentOf(app);
  if (news.size >= MAX_UNSENT) keepAllUnsent(app);
  else news.set(JSON.stringify([tenantId, about]), { tenantId, about });
}

/** Every driver has to be asked to register again. */
export function keepAllUnsent(app: App): void {
  unsentOf(app).isAll = true;
}

/** Hands out what waited, once; both keep what they cannot send either. */
export async function resend(
  app: App,
  send: { news: (news: Unsent) => Promise<void>; all: () => Promise<void> },
): Promise<void> {
  const unsent = unsentOf(app);
  const waiting = [...unsent.news.values()];
  unsent.news.clear();
  const { isAll } = unsent;
  unsent.isAll = false;
  for (const news of waiting) await send.news(news);
  if (isAll) await send.all();
}
