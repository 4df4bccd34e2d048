import { expect, it } from 'vitest';

import { storm } from '../support/runs/storm/storm.ts';
import { freshDatabase } from '../support/world/database.ts';

it('channels know what the ledger says, in order and once, while receivers fail and the platform is killed', async () => {
  const data = await freshDatabase();
  try {
    const { messages, known, kills, wrong } = await storm(30, 7, data);
    expect(wrong).toEqual([]);
    expect(messages).toBeGreaterThan(60);
    expect(known).toBeGreaterThan(60);
    expect(kills).toBe(6);
  } finally {
    await data.remove();
  }
}, 300_000);
