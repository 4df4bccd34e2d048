import { createHash } from 'node:crypto';

import { STYLE } from './page-style.ts';

/** Markup whose parts are escaped already. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | readonly Markup[];

/** Markup out of a template: every value is escaped unless it is markup itself. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(texts.map((text, index) => text + render(parts[index] ?? '')).join(''));
}

function render(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replaceAll(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const styleHash = createHash('sha256').update(STYLE).digest('base64');

/**
 * Headers of every page: nothing runs, nothing is loaded, nobody frames it. Browsers hold the redirects
 * after a form to `form-action` too, and clients send people on from where the code arrives: so any
 * HTTPS address is allowed, and loopback. `returnsTo` is where the code will go.
 */
export function pageHeaders(returnsTo = ''): Record<string, string> {
  // The policy's grammar has no IPv6 address: the scheme alone has to stand for it.
  const loopback = returnsTo.startsWith('http://[::1]')
    ? 'http:'
    : 'http://localhost:* http://127.0.0.1:*';
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      `form-action 'self' https: ${loopback}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
}

/** A whole page. */
export function page(title: string, body: Markup): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Device Data Platform</title>
        ${new Markup(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <main>
          <p class="brand">Device Data Platform</p>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html>`.text;
}
