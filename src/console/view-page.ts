import { fileURLToPath } from 'node:url';

import { bundle } from './bundle.ts';

const NAMES = ['trend', 'alarms', 'proposal'] as const;
export type ViewName = (typeof NAMES)[number];

const at = (file: string): string => fileURLToPath(new URL(`view/${file}`, import.meta.url));

let pages: Promise<Map<ViewName, string>> | null = null;

/**
 * The page of a view: one HTML document with all it needs, the same bytes at every call. Bundled by the first call of
 * a process; one that fails leaves the next to try again.
 */
export async function viewPage(name: ViewName): Promise<string> {
  pages ??= bundled().catch((error: unknown) => {
    pages = null;
    throw error;
  });
  return (await pages).get(name) ?? '';
}

async function bundled(): Promise<Map<ViewName, string>> {
  const texts = await bundle([...NAMES.map((name) => at(`${name}.tsx`)), at('style.css')]);
  const style = texts.get('style.css');
  return new Map(
    NAMES.map((name) => {
      const script = texts.get(`${name}.js`);
      if (!script || !style) throw new Error(`the view ${name} was not bundled`);
      return [name, document(script, style)];
    }),
  );
}

type Part = { text: string; hash: string };

/** Only this script and this style run, nothing is loaded and no text becomes markup: whatever the host allows. */
const document = (script: Part, style: Part): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${script.hash}'; style-src 'sha256-${style.hash}'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Device Data Platform</title><style>${style.text}</style></head><body><main></main><script>${script.text}</script></body></html>`;
