import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import type { Which } from './device-message.ts';

/** An update that the bus did not take, by subject. */
type Unsent = { tenantId: string; about: Which | { removed: string; driverCode: string } };

const MAX_UNSENT = 10_000;

const UNSENT_UPDATES = slot(() => ({ news: new Map<string, Unsent>(), isAll: false }));

/** Beyond the bound an update is not kept: all drivers register again instead. */
export function keepUnsent(app: App, tenantId: string, about: Unsent['about']): void {
  const { news } = app.of(UNSENT_UPDATES);
  if (news.size >= MAX_UNSENT) keepAllUnsent(app);
  else news.set(JSON.stringify([tenantId, about]), { tenantId, about });
}

/** Marks that every driver has to be asked to register again. */
export function keepAllUnsent(app: App): void {
  app.of(UNSENT_UPDATES).isAll = true;
}

/** Sends all waiting updates once; both callbacks keep what they cannot send. */
export async function resend(
  app: App,
  send: { news: (news: Unsent) => Promise<void>; all: () => Promise<void> },
): Promise<void> {
  const unsent = app.of(UNSENT_UPDATES);
  const waiting = [...unsent.news.values()];
  unsent.news.clear();
  const { isAll } = unsent;
  unsent.isAll = false;
  for (const news of waiting) await send.news(news);
  if (isAll) await send.all();
}
