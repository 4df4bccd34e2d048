import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { type Lwm2mBench, openLwm2mBench } from '../support/devices/lwm2m-bench.ts';
import { asleep, sleeper, writeOf } from '../support/lwm2m/sleeper.ts';

const LIFE_MS = 30_000;

describe('a command to a device that sleeps', () => {
  let bench: Lwm2mBench;
  beforeEach(async () => {
    bench = await openLwm2mBench();
  });
  afterEach(() => bench.close());

  it('waits, says so, and is done once when the device wakes', async () => {
    const { center, simulated, driver } = await asleep(bench);
    const { commandId } = await center.send(writeOf('25', LIFE_MS));
    expect(await center.result(commandId)).toMatchObject({ status: 'WAITING' });
    expect(driver.status(sleeper).description).toBe(
      'registered, LwM2M 1.1, queue mode, asleep until it reports',
    );
    expect(simulated.requests.writes).toBe(0);
    simulated.wake();
    await vi.waitFor(
      () => expect(center.results.at(-1)).toMatchObject({ commandId, status: 'SUCCESS' }),
      20_000,
    );
    expect(center.results.at(-1)).toMatchObject({ readBack: '25', askedMs: expect.any(Number) });
    expect([simulated.requests.writes, simulated.setPoint()]).toEqual([1, 25]);
  });

  it('ends when its time is over, and the device is never asked', async () => {
    const { center, simulated } = await asleep(bench);
    const { commandId } = await center.send(writeOf('25', 1_500));
    await vi.waitFor(
      () => expect(center.results.at(-1)).toMatchObject({ commandId, status: 'EXPIRED' }),
      20_000,
    );
    expect(center.results.at(-1)).toMatchObject({ errorCode: 'ASLEEP' });
    simulated.wake();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(simulated.requests.writes).toBe(0);
  });

  it('is kept over a new registration, which sends it', async () => {
    const { center, simulated } = await asleep(bench);
    const { commandId } = await center.send(writeOf('26', LIFE_MS));
    expect(await center.result(commandId)).toMatchObject({ status: 'WAITING' });
    simulated.registerAnew();
    await vi.waitFor(
      () => expect(center.results.at(-1)).toMatchObject({ commandId, status: 'SUCCESS' }),
      20_000,
    );
    expect(simulated.requests.writes).toBe(1);
  });

  it('is kept over a restart of its driver, and done once', async () => {
    const { center, simulated, driver, stop } = await asleep(bench);
    const { commandId } = await center.send(writeOf('27', LIFE_MS));
    expect(await center.result(commandId)).toMatchObject({ status: 'WAITING' });
    const port = driver.port();
    await stop();
    expect(center.results.map(({ status }) => status)).toEqual(['WAITING']);
    const again = await bench.serve([sleeper], port);
    await bench.reaches(again.driver, sleeper, 'ONLINE');
    simulated.wake();
    await vi.waitFor(
      () => expect(again.center.results).toMatchObject([{ commandId, status: 'SUCCESS' }]),
      20_000,
    );
    expect([simulated.requests.writes, simulated.setPoint()]).toEqual([1, 27]);
  });

  it('is the last of a hundred that wait; one more is refused, and nothing is sent', async () => {
    const { center, simulated } = await asleep(bench);
    const sent = [];
    for (let number = 0; number < 101; number += 1)
      sent.push(await center.send(writeOf(String(number), LIFE_MS)));
    const statuses = () => Map.groupBy(center.results, ({ errorCode }) => errorCode);
    await vi.waitFor(() => expect(center.results.length).toBe(101), 20_000);
    expect(statuses().get('SLEEPER_FULL')).toMatchObject([
      { commandId: sent.at(-1)?.commandId, status: 'FAILED' },
    ]);
    expect(simulated.requests.writes).toBe(0);
  });

  it('fails at once where the device is disabled meanwhile', async () => {
    const { center } = await asleep(bench);
    const { commandId } = await center.send(writeOf('25', LIFE_MS));
    expect(await center.result(commandId)).toMatchObject({ status: 'WAITING' });
    await center.announce({ ...sleeper, enabled: false });
    await vi.waitFor(
      () => expect(center.results.at(-1)).toMatchObject({ commandId, status: 'FAILED' }),
      20_000,
    );
    expect(center.results.at(-1)).toMatchObject({ errorCode: 'DEVICE_DISABLED' });
  });
});
