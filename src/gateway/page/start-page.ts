import { Router } from 'express';

import type { App } from '../../app.ts';
import { html, page, pageHeaders } from '../../auth/oauth/page/page.ts';
import { ok } from '../../core/envelope.ts';

type Door = { name: string; path: string; for: string };

const DOORS: readonly Door[] = [
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

/** `/`: the addresses of this platform, as a page for browsers and as JSON for other clients. */
export function startPage({ config }: Pick<App, 'config'>): Router {
  const { baseUrl, swagger } = config;
  const doors = [...DOORS, ...(swagger ? [OPERATIONS] : []), HEALTH].map((door) => ({
    ...door,
    url: `${baseUrl}${door.path}`,
  }));
  const rows = doors.map(
    (door) =>
      html`<dt>${door.name}</dt>
        <dd><a href="${door.path}">${door.url}</a><small>${door.for}</small></dd>`,
  );
  const text = page(
    'It is running',
    html`<p>Devices connect through drivers; agents propose, people confirm.</p>
      <dl>${rows}</dl>
      <p class="note">
        Login and password are those the start printed. README.md leads through the first minutes.
      </p>`,
  );
  return Router().get('/', (req, res) => {
    if (req.accepts(['json', 'html']) === 'html') res.set(pageHeaders()).send(text);
    else
      res.json(
        ok({ doors: doors.map(({ name, url, for: purpose }) => ({ name, url, for: purpose })) }),
      );
  });
}
