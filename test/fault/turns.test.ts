import { afterAll, describe, expect, it } from 'vitest';

import { KillBench, killPoints } from '../support/runs/turns/killed.ts';
import { runTurns } from '../support/runs/turns/run.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';

/** `npm run prove -- turns` makes 1,000 on each engine. */
const TURNS = 50;

it('shows every proposal, proposes a wish once and claims nothing, whatever fails in a turn', async () => {
  const { turns, proposals, wrong } = await runTurns(TURNS, 20_261_124);
  expect(wrong).toEqual([]);
  expect(proposals).toBeGreaterThan(TURNS / 3);
  expect(new Set(turns.map(({ end }) => end))).toEqual(new Set(['whole', 'error', 'left']));
});

describe('a turn whose process is killed', () => {
  const database = prepared(() => freshDatabase());
  const bench = prepared(() => KillBench.open(database.environment));
  afterAll(async () => {
    await bench?.close();
    await database?.remove();
  });

  it.each(killPoints.map((point, at) => [point, at] as const))(
    'has an end in its conversation, and its proposal is shown: %s',
    async (point, at) => {
      expect(await bench.turn(point, at, at % 2 === 0)).toMatchObject({ point, wrong: [] });
    },
  );
});
