import { readFileSync } from 'node:fs';

import { type RequestHandler, Router } from 'express';
import { z } from 'zod';

import type { App } from '../kernel/app/app.ts';

const fileOf = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { version } = z.object({ version: z.string() }).parse(JSON.parse(fileOf('package.json')));

/** Of both eras; the library that has them is loaded by the first request to the endpoint. */
const REVISIONS = ['2026-07-28', '2025-11-25'];
const CARD_TYPE = 'application/mcp-server-card+json';

/** What programs read about this platform before they use it: no secret, and no word of a tenant. */
export function agentFiles({ config }: Pick<App, 'config'>): Router {
  const textOf = (name: string): string =>
    fileOf(`docs/${name}`).replaceAll('{base}', config.baseUrl).replaceAll('{version}', version);
  const cardUrl = `${config.baseUrl}/mcp/server-card`;
  return Router()
    .get('/llms.txt', serve(textOf('llms.txt'), 'text/plain'))
    .get(
      ['/server.json', '/.well-known/mcp/server.json'],
      serve(textOf('server.json'), 'application/json'),
    )
    .get(
      ['/mcp/server-card', '/.well-known/mcp/server-card.json'],
      serve(serverCard(textOf('server.json')), CARD_TYPE),
    )
    .get('/.well-known/ai-catalog.json', serve(catalogOf(cardUrl), 'application/ai-catalog+json'));
}

const serve =
  (text: string, type: string): RequestHandler =>
  (_request, response) => {
    response
      .set('Access-Control-Allow-Origin', '*')
      .set('Access-Control-Expose-Headers', 'ETag')
      .set('Cache-Control', 'public, max-age=3600')
      .type(type)
      .send(text);
  };

const ServerJson = z.looseObject({ remotes: z.array(z.looseObject({})) });

/** The description for registries in the form in which a client reads it before it connects (SEP-2127). */
function serverCard(serverJson: string): string {
  const { remotes, ...server } = ServerJson.parse(JSON.parse(serverJson));
  return JSON.stringify({
    ...server,
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    remotes: remotes.map((remote) => ({ ...remote, supportedProtocolVersions: REVISIONS })),
  });
}

/** By which a client that knows the host alone finds the card (AI Catalog). */
const catalogOf = (cardUrl: string): string =>
  JSON.stringify({
    specVersion: '1.0',
    entries: [
      {
        identifier: `urn:air:${new URL(cardUrl).hostname}:mcp:svc`,
        type: CARD_TYPE,
        url: cardUrl,
      },
    ],
  });
