import { createHash } from 'node:crypto';

import { STYLE } from './page-style.ts';

/** Markup that is escaped already. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | readonly Markup[];

/** Template tag: escapes every value that is not Markup. */
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
 * Headers of every page: no scripts, no loaded resources, no framing. Browsers apply `form-action` to the
 * redirects after a form too, and clients redirect further from the redirect URI: so any HTTPS address is
 * allowed, and loopback. `returnsTo` is the redirect URI.
 */
export function pageHeaders(returnsTo = ''): Record<string, string> {
  // The policy's grammar has no IPv6 addresses, so the scheme alone is allowed.
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

/** A complete page. */
export function page(title: string, body: Markup, head: Markup = html``): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${head}
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
