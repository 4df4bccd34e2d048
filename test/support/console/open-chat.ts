import type { Page } from 'playwright-core';

import { type Console, logIn } from './open-console.ts';

/** Goes to the chat, as the administrator of `tenant`. */
export async function openChat(console: Console, tenant?: string): Promise<Console> {
  await console.go('/chat');
  await logIn(console, tenant);
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
