import { describe, expect, it } from 'vitest';

import { CENTERS } from '../../src/kernel/process/layout.ts';
import { BODIES_UNDER_WAY } from '../../src/kernel/request/bodies-under-way.ts';
import {
  type Cell,
  describedCell,
  isWrongStatus,
  sampledCells,
  sendCell,
} from '../support/runs/anonymous/cells.ts';
import { type Credentials, wrongCredentials } from '../support/runs/anonymous/credentials.ts';
import { followReads } from '../support/runs/anonymous/read-bytes.ts';
import { centerEntrances, entrances } from '../support/runs/anonymous/routes.ts';
import { prepared, started, startedWorld } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const MOST_READ = 128 * 1024;
const WIDTH = 16;
/** One of so many goes on sending after its answer. */
const STAYS = 5;

/** What is wrong with the answers to these cells: a status that is no refusal, or too much that was read. */
async function wrongOf(base: string, cells: readonly Cell[], given: Credentials) {
  const reads = followReads();
  const wrong: string[] = [];
  const rest = cells.entries();
  const sender = async (): Promise<void> => {
    for (const [index, cell] of rest) {
      const { status, port } = await sendCell(base, cell, given, index % STAYS === 0);
      if (isWrongStatus(cell, status)) wrong.push(`${describedCell(cell)}: ${status}`);
      const read = reads.of(port);
      if (read > MOST_READ) wrong.push(`${describedCell(cell)}: ${read} bytes read`);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, sender));
  reads.stop();
  return wrong;
}

describe('a request without a credential that holds', () => {
  const world = startedWorld();
  const given = prepared(() => wrongCredentials(world.admin));

  it('is refused at every entrance, whatever its body, of which 128 KiB are read at most', async () => {
    const cells = sampledCells(entrances(), [...given.keys()]);
    expect(cells.length).toBeGreaterThan(900);
    expect(await wrongOf(world.base, cells, given)).toEqual([]);
    expect(world.app.of(BODIES_UNDER_WAY).total).toBe(0);
  }, 300_000);
});

describe('a request without a credential that holds, between processes', () => {
  const split = started(startSplit);
  const given = prepared(() => wrongCredentials(split.admin));

  it('is refused by the gateway before its body is read and forwarded', async () => {
    const every = entrances().filter(({ door }, index) => door !== 'rest' || index % 10 === 0);
    expect(await wrongOf(split.base, sampledCells(every, [...given.keys()]), given)).toEqual([]);
  }, 300_000);

  it.each(CENTERS)(
    'is refused at the port of %s',
    async (center) => {
      const cells = sampledCells(centerEntrances(center), ['no credential', 'an invented bearer']);
      expect(await wrongOf(split.at[center], cells, given)).toEqual([]);
    },
    300_000,
  );
});
