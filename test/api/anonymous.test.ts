import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { CENTERS } from '../../src/core/process/layout.ts';
import { hostileBodies } from '../support/runs/anonymous/bodies.ts';
import { type Credentials, wrongCredentials } from '../support/runs/anonymous/credentials.ts';
import { followReads } from '../support/runs/anonymous/read-bytes.ts';
import { centerEntrances, type Entrance, entrances } from '../support/runs/anonymous/routes.ts';
import { sendHostile } from '../support/runs/anonymous/send.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { type Split, startSplit } from '../support/world/split.ts';

const MOST_READ = 128 * 1024;
const WIDTH = 16;
/** One of so many goes on sending after its answer. */
const STAYS = 5;

type Cell = { entrance: Entrance; body: (typeof hostileBodies)[number]; credential: string };

const cellsOf = (entrance: Entrance, names: readonly string[]): Cell[] =>
  names.flatMap((credential) => hostileBodies.map((body) => ({ entrance, body, credential })));

/** Of a route of a table one cell, the next one of the next route; of every other entrance all. */
const sampled = (all: readonly Entrance[], names: readonly string[]): Cell[] =>
  all.flatMap((entrance, index) => {
    const cells = cellsOf(entrance, names);
    const at = index % cells.length;
    return entrance.door === 'rest' ? cells.slice(at, at + 1) : cells;
  });

/** What is wrong with the answers to these cells: a status that is no refusal, or too much that was read. */
async function wrongOf(base: string, cells: readonly Cell[], given: Credentials) {
  const reads = followReads();
  const wrong: string[] = [];
  const rest = cells.entries();
  const sender = async (): Promise<void> => {
    for (const [index, { entrance, body, credential }] of rest) {
      const audience = entrance.door === 'mcp' ? 'mcp' : 'api';
      const shown = given.get(credential)?.(audience) ?? {};
      const id = 'hostile';
      const { status, port } = await sendHostile(base, {
        entrance,
        body,
        credential: shown,
        id,
        stays: index % STAYS === 0,
      });
      const { method, path, isOpen } = entrance;
      const isAnswered = status >= 400 && status < 500;
      const isPage = isOpen && method === 'GET' && status > 0 && status < 400;
      const isWaited = isOpen && method === 'POST' && body.isShort && status === 0;
      const what = `${method} ${path}, ${body.name}, ${credential}`;
      if (!isAnswered && !isPage && !isWaited) wrong.push(`${what}: ${status}`);
      const read = reads.of(port);
      if (read > MOST_READ) wrong.push(`${what}: ${read} bytes read`);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, sender));
  reads.stop();
  return wrong;
}

describe('a request without a credential that holds', () => {
  let world: World;
  let given: Credentials;
  beforeAll(async () => {
    world = await startWorld();
    given = await wrongCredentials(world.admin);
  });
  afterAll(() => world?.stop());

  it('is refused at every entrance, whatever its body, of which 128 KiB are read at most', async () => {
    const cells = sampled(entrances(), [...given.keys()]);
    expect(cells.length).toBeGreaterThan(900);
    expect(await wrongOf(world.base, cells, given)).toEqual([]);
    expect(world.app.caches.bodiesUnderWay.total).toBe(0);
  }, 300_000);
});

describe('a request without a credential that holds, between processes', () => {
  let split: Split;
  let given: Credentials;
  beforeAll(async () => {
    split = await startSplit();
    given = await wrongCredentials(split.admin);
  });
  afterAll(() => split?.stop());

  it('is refused by the gateway before its body is read and forwarded', async () => {
    const every = entrances().filter(({ door }, index) => door !== 'rest' || index % 10 === 0);
    expect(await wrongOf(split.base, sampled(every, [...given.keys()]), given)).toEqual([]);
  }, 300_000);

  it.each(CENTERS)(
    'is refused at the port of %s',
    async (center) => {
      const cells = sampled(centerEntrances(center), ['no credential', 'an invented bearer']);
      expect(await wrongOf(split.at[center], cells, given)).toEqual([]);
    },
    300_000,
  );
});
