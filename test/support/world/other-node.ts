import { once } from 'node:events';
import { createServer } from 'node:http';

import { createGateway } from '../../../src/gateway/server.ts';
import type { App } from '../../../src/kernel/app/app.ts';
import { openSlots } from '../../../src/kernel/slot.ts';

/** Another node on the same database and bus: it shares nothing in memory with `app`. */
export function otherNode(app: App, changes: Partial<App> = {}): App {
  const node = { ...app, ...changes };
  return { ...node, of: openSlots(node.clock, node.db.engine) };
}

export type OtherGateway = { base: string; node: App; close(): void };

/** The public door of another node, on a free port of loopback. */
export async function otherGateway(app: App): Promise<OtherGateway> {
  const node = otherNode(app);
  const server = createServer(createGateway(node, () => []));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    base: `http://127.0.0.1:${address.port}`,
    node,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
