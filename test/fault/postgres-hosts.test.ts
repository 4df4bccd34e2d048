import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, it } from 'vitest';

import { type PostgresNode, startPostgresNode } from '../support/neighbours/postgres-node.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';

let nodes: PostgresNode[] = [];
let world: World | undefined;
let dataDir = '';
afterAll(async () => {
  await world?.stop();
  for (const node of nodes) await node.remove();
  await rm(dataDir, { recursive: true, force: true });
});

it('of several hosts the one that takes writes is used, and the next one when that is lost', async () => {
  const primary = await startPostgresNode();
  nodes = [primary];
  const standby = await primary.standby();
  nodes.push(standby);
  dataDir = await mkdtemp(join(tmpdir(), 'hosts-'));
  // The standby first: it can be reached, and takes no writes.
  const hosts = [standby, primary].map(({ host, port }) => `${host}:${port}`).join(',');
  const environment = { SVC_DATA_DIR: dataDir, DATABASE_URL: `postgres://svc_owner@${hosts}/svc` };
  world = await startWorld({ database: { environment, remove: async () => {} } });
  const { admin } = world;
  const write = () =>
    admin.post('/api/v3/manager/group/add', { groupName: fresh('group'), groupTypeFlag: 'DEVICE' });
  expect((await write()).status).toBe(200);

  await primary.crash();
  expect((await write()).status).toBe(503);
  await standby.promote();
  const answer = await eventually(write, ({ status }) => status === 200);
  expect(answer.body.ok).toBe(true);
  const rows = await standby.sql('select count(*)::int as count from svc_group', 'svc');
  expect(rows).toEqual([{ count: 2 }]);
});
