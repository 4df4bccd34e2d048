import { Router } from 'express';

import type { App } from '../kernel/app/app.ts';
import { ok } from '../kernel/envelope.ts';

type Door = { name: string; path: string; for: string };

const DOORS: readonly Door[] = [
  { name: 'Console', path: '/console', for: 'people' },
  { name: 'MCP', path: '/mcp', for: 'agents; a client that knows this address finds the rest' },
  { name: 'Chat', path: '/api/v3/agentic/chat/completions', for: 'OpenAI-compatible chat clients' },
  { name: 'REST', path: '/api/v3', for: 'programs and people' },
];
const OPERATIONS: Door = {
  name: 'Operations',
  path: '/swagger-ui.html',
  for: 'every REST operation, to read and to try',
};
const HEALTH: Door = { name: 'Readiness', path: '/readyz', for: 'whether this process can work' };

/** `/`: leads browsers to the console, and gives other clients the addresses of this platform as JSON. */
export function startPage({ config }: Pick<App, 'config'>): Router {
  const { baseUrl, swagger } = config;
  const doors = [...DOORS, ...(swagger ? [OPERATIONS] : []), HEALTH].map((door) => ({
    ...door,
    url: `${baseUrl}${door.path}`,
  }));
  return Router().get('/', (req, res) => {
    if (req.accepts(['json', 'html']) === 'html') res.redirect(303, '/console');
    else
      res.json(
        ok({ doors: doors.map(({ name, url, for: purpose }) => ({ name, url, for: purpose })) }),
      );
  });
}
