import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import type { Console } from './open-console.ts';

/** Nothing went out or failed, but refusals with `status`. */
export function expectQuiet({ wrong, outside }: Console, status?: string): void {
  expect(wrong.filter((text) => status === undefined || !text.includes(status))).toEqual([]);
  expect(outside).toEqual([]);
}

/** By how many pixels the page is wider than its window. */
export const overflow = async (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
