import { createHash } from 'node:crypto';

/** Style of the start, login and consent pages; their content policy allows only its hash. */
const STYLE = `
:root{color-scheme:light dark;--ground:#eef1f5;--card:#fff;--text:#17202b;--soft:#55606e;--line:#cfd6df;
--accent:#0b5cad;--accent-text:#fff;--warn:#8a4b00;--warn-ground:#fff4e0;--bad:#b3261e;--bad-ground:#fdecea}
@media (prefers-color-scheme:dark){:root{--ground:#10151b;--card:#1a2129;--text:#e8edf3;--soft:#a0acb9;
--line:#38424e;--accent:#6db3ff;--accent-text:#06192c;--warn:#ffc978;--warn-ground:#33260f;--bad:#ff9d94;
--bad-ground:#3a1a18}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;align-items:center;justify-content:center;padding:24px 16px;
background:var(--ground);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{width:100%;max-width:440px;background:var(--card);border:1px solid var(--line);border-radius:14px;
padding:28px 32px 32px;box-shadow:0 6px 28px rgb(0 0 0/.08)}
.brand{margin:0 0 4px;color:var(--soft);font-size:14px;font-weight:600;letter-spacing:.02em}
h1{margin:0 0 16px;font-size:24px;line-height:1.25;text-wrap:balance}
p{margin:0 0 14px}
strong{overflow-wrap:anywhere}
label{display:block;margin:14px 0 4px;font-weight:600;font-size:15px}
input:not([type=checkbox]){width:100%;padding:10px 12px;border:1px solid var(--line);border-radius:8px;background:var(--ground);
color:inherit;font:inherit}
input:focus-visible,button:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.buttons{display:flex;gap:12px;margin-top:22px}
button{flex:1;padding:11px 16px;border:1px solid var(--line);border-radius:8px;background:transparent;
color:inherit;font:inherit;font-weight:600;cursor:pointer}
button.main{background:var(--accent);border-color:var(--accent);color:var(--accent-text)}
button:hover{filter:brightness(1.08)}
.error,.warn{padding:10px 14px;border-radius:8px;font-size:15px}
.error{background:var(--bad-ground);color:var(--bad);font-weight:600}
.warn{background:var(--warn-ground);color:var(--warn)}
dl{display:grid;grid-template-columns:auto minmax(0,1fr);gap:6px 16px;margin:0 0 16px;padding:14px 0;
border:solid var(--line);border-width:1px 0;font-size:15px}
dt{color:var(--soft)}
dd{margin:0;font-weight:600;overflow-wrap:anywhere}
a{color:var(--accent)}
dd small{display:block;font-weight:400;white-space:normal}
ul{margin:0 0 16px;padding:0;list-style:none}
li{position:relative;margin:0 0 8px;padding-left:28px}
li::before{content:"✓";position:absolute;left:4px;color:var(--accent);font-weight:700}
fieldset{margin:0 0 16px;padding:0;border:0}
legend{padding:0;margin:0 0 10px;font-weight:600;font-size:15px}
.choice{display:flex;gap:10px;align-items:baseline;margin:0 0 10px;font-weight:400}
.choice input{accent-color:var(--accent)}
small{color:var(--soft);white-space:nowrap}
.note{margin:18px 0 0;color:var(--soft);font-size:14px}
form+form .buttons{margin-top:12px}
`;

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
