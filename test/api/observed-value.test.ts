import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { clearDevice } from '../support/devices/clear-device.ts';
import { type LiveStream, openLive } from '../support/live/open-live.ts';
import { openObservedDevice } from '../support/observe/observed-device.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { until } from '../support/world/until.ts';

const SENML_JSON = 110;
const SHOWN_WITHIN_MS = 1_000;
const CHANGES = 5;

const Latest = z.object({
  records: z.array(z.looseObject({ calValue: z.string(), createTime: z.string() })),
});

/** No point is read by a schedule here: only the device itself can bring a value. */
describe('an observed value', () => {
  let stream: LiveStream;
  const world = startedWorld();
  const known = prepared(() => clearDevice(world, { observe: 'true', pmax: '3600' }));
  const device = prepared(() => openObservedDevice(world.lwm2mPort));
  beforeAll(async () => {
    // The driver learns of the device a moment after it was configured.
    await eventually(
      () => device.register(known.endpoint),
      (code) => code === '2.01',
    );
    await eventually(
      async () => device.taken.length,
      (taken) => taken === 1,
    );
    const points = [`${known.deviceId}:${known.pointId}`];
    stream = await openLive(world.base, world.admin.headers, { points });
  });
  afterAll(async () => {
    stream.close();
    device.close();
    known.close();
  });

  const shown = (value: string) =>
    until(() => expect(stream.values().at(-1)?.calValue).toBe(value));

  it('is on the stream of the console within a second after the device changed it', async () => {
    const took: number[] = [];
    for (let value = 21; value < 21 + CHANGES; value++) {
      const begin = performance.now();
      device.say(String(value));
      await shown(String(value));
      took.push(performance.now() - begin);
    }
    // Of several, because other work on the machine may hold one up.
    const middle = took.toSorted((a, b) => a - b)[Math.floor(CHANGES / 2)];
    expect(middle).toBeLessThanOrEqual(SHOWN_WITHIN_MS);
    expect(device.asked.filter((text) => text.startsWith('GET'))).toEqual(['GET /3308/0/5900 0']);
  });

  it('is stored with the time that the device gave it', async () => {
    // Ahead, as far as is tolerated: an earlier one would not be the latest.
    const at = Math.floor(world.clock.now() / 1_000) + 30;
    device.taken[0]?.stream.setOption('Content-Format', SENML_JSON);
    device.say(JSON.stringify([{ n: '/3308/0/5900', v: 40, t: at }]));
    await shown('40');
    const { records } = Latest.parse(await known.latest());
    expect(new Date(records[0]?.createTime ?? '').getTime()).toBe(at * 1_000);
  });
});
