import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { judgeTold, NotifyCrashBench, notifyPoints } from '../support/runs/crash-notify.ts';
import { CrashBench, judge, writePoints } from '../support/runs/crash.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';

/** One round per point here; `npm run prove -- crash` does ten. */
describe('a platform killed in the middle', () => {
  let data: FreshDatabase;
  let bench: CrashBench;
  beforeAll(async () => {
    data = await freshDatabase();
    bench = await CrashBench.open(data.environment);
  });
  afterAll(async () => {
    await bench.close();
    await data.remove();
  });

  it.each(writePoints.map((point, i) => [point, String(10 + i)] as const))(
    'at %s executes the write at most once and ends it',
    async (point, value) => {
      expect(judge(await bench.write(point, value))).toEqual([]);
    },
  );

  it('during ingest keeps every acknowledged value', async () => {
    const { acknowledged, lost, unexpected } = await bench.ingest(6);
    expect({ lost, unexpected }).toEqual({ lost: 0, unexpected: 0 });
    expect(acknowledged).toBeGreaterThan(0);
  });
});

describe('a platform killed while it tells of an alarm', () => {
  let data: FreshDatabase;
  let bench: NotifyCrashBench;
  beforeAll(async () => {
    data = await freshDatabase();
    bench = await NotifyCrashBench.open(data.environment);
  });
  afterAll(async () => {
    await bench?.close();
    await data.remove();
  });

  // A row that was claimed and never sent waits for the same lease as one that was sent.
  it.each(notifyPoints.filter((point) => point !== 'notify-claimed'))(
    'at %s tells of what was committed once, by one id, and of nothing else',
    async (point) => {
      expect(judgeTold(await bench.tell(point))).toEqual([]);
    },
  );
});
