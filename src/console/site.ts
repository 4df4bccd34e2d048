import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

import { bundle } from './bundle.ts';

const compress = promisify(gzip);
const at = (file: string): string => fileURLToPath(new URL(`app/${file}`, import.meta.url));

type File = { type: string; plain: Buffer; gzip: Buffer };

export type Site = {
  /** Name of the script and of the style, below ASSETS: other contents have other names. */
  script: string;
  style: string;
  /** By name. */
  files: ReadonlyMap<string, File>;
};

/** Below it the files of the console are served. */
export const ASSETS = '/console/assets';

/** Scripts, styles, pictures and calls of this origin alone; nothing inline, no text that becomes markup. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; " +
  "img-src 'self' data: blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

let built: Promise<Site> | null = null;

/** The console, bundled by the first call of a process; one that fails leaves the next to try again. */
export function site(): Promise<Site> {
  built ??= build().catch((error: unknown) => {
    built = null;
    throw error;
  });
  return built;
}

async function build(): Promise<Site> {
  const parts = await bundle([at('main.tsx'), at('style/console.css')]);
  const files = new Map<string, File>();
  const add = async (from: string, type: string): Promise<string> => {
    const part = parts.get(from);
    if (!part) throw new Error(`${from} of the console was not bundled`);
    const [name, ending] = from.split('.');
    const hash = Buffer.from(part.hash, 'base64').toString('hex').slice(0, 16);
    const plain = Buffer.from(part.text);
    const file = `${name}.${hash}.${ending}`;
    files.set(file, { type, plain, gzip: await compress(plain, { level: 9 }) });
    return file;
  };
  const script = await add('main.js', 'text/javascript; charset=utf-8');
  const style = await add('console.css', 'text/css; charset=utf-8');
  return { script, style, files };
}

/**
 * The one document of the console, whatever page of it is asked for. `hasSession`: the browser sent the cookie of a
 * session, so that the script asks for it; without one it shows the login at once.
 */
export const pageOf = ({ script, style }: Site, hasSession: boolean): string =>
  `<!doctype html>
<html lang="en" data-session="${hasSession ? 'maybe' : 'none'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>Device Data Platform</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="stylesheet" href="${ASSETS}/${style}">
<script defer src="${ASSETS}/${script}"></script>
</head>
<body><div id="app"><noscript>The console needs JavaScript.</noscript></div></body>
</html>
`;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1d5bb8"/><path d="M6 18h5l3-9 4 15 3-9 1 3h4" fill="none" stroke="#fff" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';
