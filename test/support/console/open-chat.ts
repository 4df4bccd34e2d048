import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';

import { type Console, logIn, openConsole } from './open-console.ts';

/** Nothing went out or failed, but refusals with `status`. */
export function expectQuiet({ wrong, outside }: Console, status = 'none'): void {
  expect(wrong.filter((text) => !text.includes(status))).toEqual([]);
  expect(outside).toEqual([]);
}

/** The page of the chat, as the administrator of `tenant`. */
export async function openChat(
  browser: Browser,
  base: string,
  shown: Parameters<typeof openConsole>[2] = {},
  tenant?: string,
): Promise<Console> {
  const console = await openConsole(browser, base, shown);
  await console.go('/chat');
  await logIn(console, tenant === undefined ? {} : { tenant, name: `${tenant}-admin` });
  await box(console.page).waitFor();
  return console;
}

export const box = (page: Page) => page.getByLabel(/^(Your message|你的消息)$/);
export const log = (page: Page) => page.getByRole('log');
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

export async function ask(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press('Enter');
}
