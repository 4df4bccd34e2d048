import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';

import { openApi } from '../../../src/gateway/openapi/document.ts';
import { testEnvironment } from '../world/environment.ts';

const Paths = z.record(z.string(), z.record(z.string(), z.unknown()));

/** What a browser may show the console as. */
export type Shown = {
  width?: number;
  height?: number;
  look?: 'light' | 'dark';
  language?: 'en' | 'zh';
  timezone?: string;
};

/** A browser with the console open in it. */
export type Console = {
  page: Page;
  context: BrowserContext;
  /** Errors and warnings of the pages, what their policy refused, and calls that the OpenAPI document does not have. */
  wrong: string[];
  /** Requests to other hosts. */
  outside: string[];
  /** Method and path of every request to the API. */
  calls: Set<string>;
  /** Goes to a page below `/console` as a link does. */
  go(path: string): Promise<void>;
  close(): Promise<void>;
};

/** Method and path of every operation of the OpenAPI document. */
const OPERATIONS: ReadonlySet<string> = new Set(
  Object.entries(Paths.parse(openApi({ baseUrl: '' }).paths)).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  ),
);

/** Also of a path with parameters. */
const isOperation = (call: string): boolean =>
  OPERATIONS.has(call) ||
  [...OPERATIONS].some(
    (each) =>
      each.includes('{') && new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(call),
  );

/** In the page: what its policy refused becomes an error of the console. */
const REPORTS =
  "document.addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`))";

/** The administrator of the default tenant, where nothing else is said. */
export type Person = { tenant?: string; name?: string; password?: string };

/** Opens the console of the platform at `base` without a login. */
export async function openConsole(
  browser: Browser,
  base: string,
  { width = 1280, height = 900, look = 'light', language = 'en', timezone = 'UTC' }: Shown = {},
): Promise<Console> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: look,
    locale: language === 'zh' ? 'zh-CN' : 'en-GB',
    timezoneId: timezone,
    reducedMotion: 'reduce',
  });
  const [wrong, outside]: [string[], string[]] = [[], []];
  const calls = new Set<string>();
  await context.addInitScript({ content: REPORTS });
  const page = await context.newPage();
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
  });
  context.on('weberror', (error) => wrong.push(String(error.error())));
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol === 'data:' || url.protocol === 'blob:') return;
    if (url.origin !== new URL(base).origin) outside.push(request.url());
    else if (url.pathname.startsWith('/api/')) {
      const call = `${request.method()} ${url.pathname}`;
      calls.add(call);
      if (!isOperation(call)) wrong.push(`the OpenAPI document does not have ${call}`);
    }
  });
  const go = async (path: string): Promise<void> => {
    await page.goto(`${base}/console${path === '/' ? '' : path}`);
  };
  await go('/');
  return { page, context, wrong, outside, calls, go, close: () => context.close() };
}

/** Fills the login in and presses it; answers when the pages are there. */
export async function logIn(
  { page }: Pick<Console, 'page'>,
  person: Person | string = {},
): Promise<void> {
  const {
    tenant = 'default',
    name = 'admin',
    password = testEnvironment.SVC_ADMIN_PASSWORD,
  } = typeof person === 'string' ? { tenant: person, name: `${person}-admin` } : person;
  await page.getByLabel(/^(Tenant|租户)$/).fill(tenant);
  await page.getByLabel(/^(Login name|登录名)$/).fill(name);
  await page.getByLabel(/^(Password|密码)$/).fill(password);
  await page.getByRole('button', { name: /^(Log in|登录)$/ }).click();
  await page.getByRole('navigation', { name: /^(Pages|页面)$/ }).waitFor();
}

const Found = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.string().nullable(),
      nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
    }),
  ),
});

/** What axe holds for serious or critical on the page as it is: rule and elements. */
export async function barriers({ page }: Pick<Console, 'page'>): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = Found.parse(await page.evaluate('axe.run(document)'));
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
    );
}
