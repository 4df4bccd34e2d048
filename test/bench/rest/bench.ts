import { freshDatabases } from '../database.ts';
import { preparedEngines } from '../engine/prepared.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import type { Row } from '../row.ts';
import { startServer } from '../server.ts';
import { lists } from './lists.ts';
import { pages } from './pages.ts';
import { CALLERS, simultaneous } from './simultaneous.ts';

const OURS = new URL('../platform/ours.ts', import.meta.url);

/** The API's lists: beside bare Express, at growing numbers of devices, and asked by many at once. */
export async function rest(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const databases = await freshDatabases(process.env['DATABASE_URL']);
  if (databases) stack.use(databases);
  const running = [];
  for (const engine of await preparedEngines(databases)) {
    const args = ['/api/v3', String(1 + CALLERS)];
    running.push({
      engine,
      ours: stack.use(await startServer(OURS, { args, env: engine.env, options: NODE_OPTIONS })),
    });
  }
  const rows = await lists(running);
  const embedded = running.find(({ engine }) => engine.name === 'embedded');
  if (embedded) rows.push(...(await simultaneous(embedded)));
  if (databases) rows.push(...(await pages(await databases.make())));
  return rows;
}
