import { readFileSync } from 'node:fs';

import { type RequestHandler, Router } from 'express';
import { z } from 'zod';

import type { App } from '../kernel/app/app.ts';

const fileOf = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { version } = z.object({ version: z.string() }).parse(JSON.parse(fileOf('package.json')));

/** What programs read about this platform before they use it: no secret, and no word of a tenant. */
export function agentFiles({ config }: Pick<App, 'config'>): Router {
  const serve = (name: string, type: string): RequestHandler => {
    const text = fileOf(`docs/${name}`)
      .replaceAll('{base}', config.baseUrl)
      .replaceAll('{version}', version);
    return (_request, response) => {
      response.set('Access-Control-Allow-Origin', '*').type(type).send(text);
    };
  };
  return Router()
    .get('/llms.txt', serve('llms.txt', 'text/plain'))
    .get(
      ['/server.json', '/.well-known/mcp/server.json'],
      serve('server.json', 'application/json'),
    );
}
