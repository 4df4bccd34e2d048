import { afterAll, beforeAll, expect, it } from 'vitest';

import { MemoryBus } from '../../src/bus/memory.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { openFirmwareRun, recordingTasks } from '../support/runs/confirmation-firmware.ts';
import { openConfirmationRun } from '../support/runs/confirmation-run.ts';
import { startWorld } from '../support/world/app.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { seeded } from '../support/world/seeded.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';

let run: Awaited<ReturnType<typeof openConfirmationRun>>;
const world = startedWorld();
beforeAll(async () => {
  const { app, bus, admin: session } = world;
  run = await openConfirmationRun({ app, bus, session }, seeded(20_261_122));
});
afterAll(async () => {
  await run?.close();
});

it.each(['write', 'plan'] as const)(
  'lets no %s go out that differs from the card that was confirmed',
  async (kind) => {
    const ends = new Set<string>();
    // Every fifth kind of change, so that each moment has some.
    for (let n = 0; n < run.kinds; n += 5) {
      const round = await run.round(n, kind);
      expect(round).toMatchObject({ wrong: '' });
      ends.add(round.ends);
    }
    expect(ends).toEqual(new Set(['fresh card', 'refused', 'written']));
  },
);

it('begins no roll-out that differs from the card that was confirmed', async () => {
  const clock = new HeldClock();
  const { bus, out } = recordingTasks(new MemoryBus({ clock, log: createLog('silent') }));
  const there = await startWorld({ clock, bus });
  try {
    clock.hold();
    const firmware = openFirmwareRun(there, out, seeded(20_261_122));
    const ends = new Set<string>();
    // Each change at each moment, and some rounds of several.
    for (let n = 0; n < firmware.kinds + 12; n += 1) {
      const round = await firmware.round(n);
      expect(round).toMatchObject({ wrong: '' });
      ends.add(round.ends);
    }
    expect(ends).toEqual(new Set(['fresh card', 'refused', 'written']));
  } finally {
    await there.stop();
  }
}, 240_000);
