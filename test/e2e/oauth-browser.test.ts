import { createServer, type Server } from 'node:http';
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { startBrowser } from '../support/console/chromium.ts';
import {
  admin,
  type AppClient,
  authorizationUrl,
  callback,
  discover,
  redeem,
  registerApp,
} from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

let application: Server;
let client: AppClient;
const world = startedWorld();
const server = prepared(() => discover(world.base));
const browser = prepared(startBrowser);
beforeAll(async () => {
  // The program that started the login: it answers the code with a redirect, as real ones do.
  application = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) response.writeHead(302, { location: '/done' });
    response.end('You can close this window');
  });
  await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
  const address = application.address();
  const port = typeof address === 'object' ? address?.port : 0;
  client = await registerApp(server, `http://127.0.0.1:${port}/callback`, {
    client_name: 'Claude <b>Code</b>',
  });
});
afterAll(async () => {
  await browser?.close();
  await new Promise((resolve) => application?.close(resolve));
});

/** A fresh browser, watched: what it complained about, whom it asked, where it came back. */
async function visit(scheme: 'light' | 'dark' = 'light') {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width: 900, height: 900 },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const asked: string[] = [];
  let back: string | null = null;
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    asked.push(new URL(request.url()).origin);
    if (request.url().startsWith(client.redirectUri)) back = request.url();
  });
  return { page, complaints, asked, back: () => new URL(String(back)) };
}

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SVC_SCREENSHOTS'];
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

async function logIn(page: Page, password = admin.password): Promise<void> {
  await page.getByLabel('Tenant').fill(admin.tenant);
  await page.getByLabel('Login').fill(admin.login);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

it('a person logs in, sees what is asked for, allows it, and the program gets its token', async () => {
  const { page, complaints, asked, back } = await visit();
  const { url, verifier, state } = await authorizationUrl(server, client, {
    scope: 'svc:read svc:propose',
  });
  await page.goto(url.href);
  await shoot(page, 'login');
  // The name is shown as what it is, and takes no part in the page.
  expect(await page.locator('strong').first().textContent()).toBe('Claude <b>Code</b>');
  await logIn(page);

  await page.getByRole('heading', { name: 'Allow Claude <b>Code</b>?' }).waitFor();
  await shoot(page, 'consent');
  const text = await page.locator('main').innerText();
  for (const part of [
    'See the devices',
    'Propose writes',
    'default',
    'admin',
    new URL(client.redirectUri).host,
    '30 days',
    'can never confirm',
  ]) {
    expect(text).toContain(part);
  }
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL('**/done');

  const parameters = callback(server, client, { url: back().href }, state);
  const tokens = await redeem(server, client, parameters, verifier);
  expect(await bearerCaller(world.app, tokens.access_token, 'mcp')).toMatchObject({
    name: 'admin',
    scopes: ['svc:read', 'svc:propose'],
  });
  expect(complaints).toEqual([]);
  expect(new Set(asked)).toEqual(new Set([world.base, new URL(client.redirectUri).origin]));
});

it('a wrong password, a wrong login and a wrong tenant are told apart by nobody', async () => {
  const { page } = await visit('dark');
  await page.goto((await authorizationUrl(server, client)).url.href);
  await logIn(page, 'wrong');
  const alert = page.getByRole('alert');
  expect(await alert.textContent()).toBe('Tenant, login or password is wrong.');
  await shoot(page, 'wrong');
  expect(await page.getByLabel('Login').inputValue()).toBe('admin');
  expect(await page.getByLabel('Password').inputValue()).toBe('');
  await page.getByLabel('Tenant').fill('nowhere');
  await page.getByLabel('Password').fill(admin.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  expect(await alert.textContent()).toBe('Tenant, login or password is wrong.');
});

it('a person who denies sends the program away with access_denied', async () => {
  const { page, back } = await visit('dark');
  const { url, state } = await authorizationUrl(server, client);
  await page.goto(url.href);
  await logIn(page);
  await page.getByRole('heading', { name: /^Allow/ }).waitFor();
  await shoot(page, 'consent-dark');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.waitForURL('**/done');
  expect(Object.fromEntries(back().searchParams)).toMatchObject({
    error: 'access_denied',
    iss: world.base,
    state,
  });
});

it('a request that leads nowhere ends on a page that says so', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${world.base}/oauth2/authorize?client_id=nobody&response_type=code`);
  await shoot(page, 'error');
  expect(await page.getByRole('heading').textContent()).toBe('This request cannot be answered');
  expect(complaints.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
});
