import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { type Bundle, bundle } from './bundle.ts';

const compress = promisify(gzip);
const at = (file: string): string => fileURLToPath(new URL(`app/${file}`, import.meta.url));

type File = { type: string; plain: Buffer; gzip: Buffer };

export type Site = {
  /** Name of the script and of the style, below ASSETS: other contents have other names. */
  script: string;
  style: string;
  /** Name of what a phone or computer needs to install the console as an app. */
  manifest: string;
  /** Name of the script that displays what is pushed; its address stays the same (`PUSH_WORKER`). */
  worker: string;
  /** Names of what the script needs at once. */
  needed: readonly string[];
  /** By name. */
  files: ReadonlyMap<string, File>;
};

/** Below it the files of the console are served. */
export const ASSETS = '/console/assets';
/** The address by which browsers know, and renew, the worker. */
export const PUSH_WORKER = '/console/push-worker.js';

/** Scripts, styles, pictures and calls of this origin alone; nothing inline, no text that becomes markup. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; " +
  "manifest-src 'self'; worker-src 'self'; img-src 'self' data: blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types svc-worker";

let built: Promise<Site> | null = null;

/** The console, bundled by the first call of a process; one that fails leaves the next to try again. */
export function site(): Promise<Site> {
  built ??= build().catch((error: unknown) => {
    built = null;
    throw error;
  });
  return built;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

async function build(): Promise<Site> {
  const parts = await bundle([at('main.tsx'), at('push-worker.ts'), at('style/console.css')], {
    isSplit: true,
  });
  const files = new Map<string, File>();
  const add = async (name: string, type: string, { text }: Pick<Bundle, 'text'>): Promise<void> => {
    const plain = Buffer.from(text);
    // Smaller blocks fit some texts better, larger ones others.
    const tried = await Promise.all(
      [6, 7, 8].map((memLevel) => compress(plain, { level: 9, memLevel })),
    );
    const [smallest] = tried.toSorted((one, other) => one.length - other.length);
    if (smallest) files.set(name, { type, plain, gzip: smallest });
  };
  const take = (name: string): Bundle => {
    const part = parts.get(name);
    if (!part) throw new Error(`${name} of the console was not bundled`);
    parts.delete(name);
    return part;
  };
  const [main, css, pushed] = [take('main.js'), take('console.css'), take('push-worker.js')];
  const [script, style] = [named('main', main, 'js'), named('console', css, 'css')];
  await add(script, SCRIPT, main);
  await add(style, STYLE, css);
  const worker = named('push-worker', pushed, 'js');
  await add(worker, SCRIPT, pushed);
  // Named after their contents already.
  for (const [name, part] of parts) await add(name, SCRIPT, part);
  const icon = named('icon', textOf(ICON), 'svg');
  await add(icon, 'image/svg+xml', textOf(ICON));
  const app = textOf(JSON.stringify(manifestOf(`${ASSETS}/${icon}`)));
  const manifest = named('manifest', app, 'webmanifest');
  await add(manifest, 'application/manifest+json', app);
  return { script, style, manifest, worker, needed: main.imports, files };
}

const textOf = (text: string): Pick<Bundle, 'text' | 'hash'> => ({
  text,
  hash: createHash('sha256').update(text).digest('base64'),
});

/** What an installed console is called and begins with (Web Application Manifest). */
const manifestOf = (icon: string) => ({
  id: '/console',
  name: 'Device Data Platform',
  short_name: 'Devices',
  start_url: '/console',
  scope: '/console',
  display: 'standalone',
  background_color: '#ffffff',
  theme_color: '#1d5bb8',
  icons: [{ src: icon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
});

const named = (name: string, { hash }: Pick<Bundle, 'hash'>, ending: string): string =>
  `${name}.${Buffer.from(hash, 'base64').toString('hex').slice(0, 16)}.${ending}`;

/**
 * The one document of the console, whatever page of it is asked for. `hasSession`: the browser sent the cookie of a
 * session, so that the script asks for it; without one it shows the login at once.
 */
export const pageOf = ({ script, style, manifest, needed }: Site, hasSession: boolean): string =>
  `<!doctype html>
<html lang="en" data-session="${hasSession ? 'maybe' : 'none'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Device Data Platform</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="manifest" href="${ASSETS}/${manifest}">
<link rel="stylesheet" href="${ASSETS}/${style}">
${needed.map((name) => `<link rel="modulepreload" href="${ASSETS}/${name}">\n`).join('')}<script type="module" src="${ASSETS}/${script}"></script>
</head>
<body><div id="app"><noscript>The console needs JavaScript.</noscript></div></body>
</html>
`;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1d5bb8"/><path d="M6 18h5l3-9 4 15 3-9 1 3h4" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';
