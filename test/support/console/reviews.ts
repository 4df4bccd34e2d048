import type { Browser } from 'playwright-core';

import type { OpenReviews } from '../runs/histories/history.ts';
import { logIn, openConsole } from './open-console.ts';

const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Pages of reviews in a browser: of an action that waits, present values and devices in the place of a sentence. */
export const reviewsIn =
  (browser: Browser, base: string): OpenReviews =>
  async (tenant) => {
    const console = await openConsole(browser, base);
    await logIn(console, { tenant, name: `${tenant}-admin` });
    return async (actionId) => {
      await console.go(`/review/${actionId}`);
      const { page } = console;
      const ended = page.locator('p.outcome');
      const open = page.getByRole('button', { name: 'Confirm' });
      await ended.or(open).first().waitFor();
      if (await ended.count()) return { actionId, status: null, say: await ended.innerText() };
      const texts = async (of: string) => (await page.locator(of).allInnerTexts()).map(inLine);
      const [values, devices] = [await texts('.change .before'), await texts('dd .chip')];
      return { actionId, status: 'PENDING', say: '', page: { values, devices } };
    };
  };
