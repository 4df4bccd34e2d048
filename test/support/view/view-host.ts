import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import type { Browser, Frame, Page } from 'playwright-core';
import { z } from 'zod';

import { bundle } from '../../../src/console/bundle.ts';

const page = (name: string): string => fileURLToPath(new URL(`page/${name}.ts`, import.meta.url));

/** What a host sets for a view without domains (MCP Apps, Restrictive Default). */
const SANDBOX_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'self'; object-src 'none'; base-uri 'self'";

type Fields = Record<string, unknown>;
type Call = { name: string; input: Fields };

/** What the person and the agent around a view do. */
type Around = {
  /** Answers a tool call of the view; without it the host helps with nothing. */
  call?(name: string, input: Fields): Promise<unknown>;
  theme?: 'light' | 'dark';
  width?: number;
  /** False: the host refuses to open an address. */
  opens?: boolean;
};

export type ShownView = {
  page: Page;
  view: Frame;
  calls: Call[];
  opened: string[];
  /** Addresses asked for beside the pages of the host itself. */
  requests: string[];
  /** Errors, dialogs and refusals by policy. */
  wrong: string[];
  answer(result: unknown): Promise<void>;
  change(context: Fields): Promise<void>;
  end(): Promise<void>;
  /** Contrast of each text, the least first. */
  contrasts(): Promise<[number, string][]>;
  close(): Promise<void>;
};

const Contrasts = z.array(z.tuple([z.number(), z.string()]));

/** Serves a host of MCP Apps, made of the extension's own host side, to a browser. */
export async function startViewHost(browser: Browser) {
  const names = ['host', 'sandbox', 'contrast'];
  const scripts = await bundle(names.map(page));
  const server = createServer(({ url = '/' }, response) => {
    const script = scripts.get(url.slice(1));
    const name = url === '/sandbox' ? 'sandbox' : 'host';
    if (name === 'sandbox') response.setHeader('content-security-policy', SANDBOX_POLICY);
    response.setHeader('content-type', `text/${script ? 'javascript' : 'html'}; charset=utf-8`);
    response.end(
      script?.text ??
        `<!doctype html><link rel=icon href=data:,><body><script src=/${name}.js></script>`,
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const own = ['', 'host.js', 'sandbox', 'sandbox.js'];

  async function show(html: string, input: Fields, around: Around = {}): Promise<ShownView> {
    const { call, theme = 'light', width = 880, opens = true } = around;
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      deviceScaleFactor: 2,
    });
    const opening = await context.newPage();
    const [calls, opened, requests, wrong]: [Call[], string[], string[], string[]] = [
      [],
      [],
      [],
      [],
    ];
    context.on('request', (request) => {
      const { hostname, pathname } = new URL(request.url());
      const isOwn = /^(127\.0\.0\.1|localhost)$/.test(hostname) && own.includes(pathname.slice(1));
      if (!isOwn && !request.url().startsWith('data:,')) requests.push(request.url());
    });
    opening.on('pageerror', (error) => wrong.push(error.message));
    opening.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) wrong.push(message.text());
    });
    opening.on('dialog', (dialog) => {
      wrong.push(dialog.message());
      void dialog.dismiss();
    });
    await opening.exposeFunction('svcCall', async (name: string, given: Fields) => {
      calls.push({ name, input: given });
      return call?.(name, given);
    });
    await opening.exposeFunction('svcOpen', (url: string) => {
      opened.push(url);
      return opens;
    });
    await opening.goto(`http://127.0.0.1:${port}/`);
    const order = (name: string, given: unknown) =>
      opening.evaluate(`svcHost.${name}(${JSON.stringify(given)})`);
    await order('show', { html, input, context: { theme }, helps: call !== undefined });
    const inner = await opening.frameLocator('iframe').locator('iframe').elementHandle();
    const view = await inner?.contentFrame();
    if (!view) throw new Error('the view has no frame');
    return {
      page: opening,
      view,
      calls,
      opened,
      requests,
      wrong,
      answer: async (result) => void (await order('answer', result)),
      change: async (changed) => void (await order('change', { theme, ...changed })),
      end: async () => void (await order('end', {})),
      async contrasts() {
        await view.evaluate(scripts.get('contrast.js')?.text ?? '');
        return Contrasts.parse(await view.evaluate('contrasts()'));
      },
      close: () => context.close(),
    };
  }
  return { show, stop: () => void server.close() };
}
