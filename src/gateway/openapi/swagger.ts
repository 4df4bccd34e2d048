import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { Router } from 'express';

import type { App } from '../../kernel/app/app.ts';
import { onFirstUse } from '../../kernel/first-use.ts';

/** Files of the page, from the package; no other origin is used. */
const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'] as const;
const require = createRequire(import.meta.url);
const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
const fileOf = (name: (typeof files)[number]): string => join(folder, name);

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Device Data Platform API</title>
<link rel="stylesheet" href="/swagger-ui/swagger-ui.css">
<link rel="icon" type="image/png" href="/swagger-ui/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/swagger-ui/swagger-ui-bundle.js"></script>
<script src="/swagger-ui/init.js"></script>
</body>
</html>
`;

// The validator badge would send the document to a public site.
const INIT = `SwaggerUIBundle({
  url: '/v3/api-docs',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  tagsSorter: 'alpha',
  validatorUrl: null,
  withCredentials: false,
});
`;

/** Scripts from this origin only; the page has icons in data URLs and inline styles. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/v3/api-docs` and `/swagger-ui.html` (docs/specification/service.md, Rules of the service 3). */
export function swagger(app: App): Router {
  // Made once, on the first request: it takes a tenth of a second, its text milliseconds, and a request needs no login.
  const document = onFirstUse(async (): Promise<Buffer> => {
    const { openApi } = await import('./document.ts');
    return Buffer.from(JSON.stringify(openApi(app.config)));
  });
  const router = Router()
    .get('/v3/api-docs', async (_req, res) => {
      res.type('json').send(await document());
    })
    .get('/swagger-ui.html', (_req, res) => {
      res.setHeader('content-security-policy', POLICY);
      res.type('html').send(PAGE);
    })
    .get('/swagger-ui/init.js', (_req, res) => {
      res.type('js').send(INIT);
    });
  for (const name of files) {
    router.get(`/swagger-ui/${name}`, (_req, res) => {
      res.setHeader('cache-control', 'public, max-age=3600');
      res.sendFile(fileOf(name), { cacheControl: false });
    });
  }
  return router;
}
