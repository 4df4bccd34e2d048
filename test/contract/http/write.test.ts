import { describe, expect, it, onTestFinished } from 'vitest';

import { driverDevice } from '../../support/devices/driver-center.ts';
import { openHttpBench, secretOf } from '../../support/http/bench.ts';
import type { HttpField } from '../../support/http/field.ts';
import { type Case, openField, openPull, status } from '../../support/http/pull.ts';
import { until } from '../../support/world/until.ts';

/** Writes to the set-point; time goes on while it is waited for. */
async function write({ bench: { center, clock } }: Case, value: string) {
  const { commandId } = await center.send({ type: 'WRITE', pointId: '2', value });
  return until(async () => {
    await clock.advance(250);
    const result = center.results.find((each) => each.commandId === commandId);
    if (!result) throw new Error('no result yet');
    return result;
  });
}

describe('a write', () => {
  it('is sent as its template says, and verified by what the device then answers', async () => {
    const one = await openPull(
      { header: 'X-Key: sesame' },
      {
        setPoint: {
          writeUrl: '/points/${point}?of=${device}',
          writeMethod: 'POST',
          writePayload: '{"to":${value},"of":"${point}"}',
        },
      },
    );
    one.field.answer = (response, { method }) => {
      if (method !== 'POST') return false;
      one.field.more = { setPoint: 24.5 };
      return status(202)(response);
    };
    expect(await write(one, '24.5')).toMatchObject({ status: 'SUCCESS', readBack: '24.5' });
    const sent = one.field.received.filter(({ method }) => method === 'POST');
    expect(sent).toMatchObject([
      {
        path: '/points/setPoint?of=device%201',
        body: '{"to":24.5,"of":"setPoint"}',
        headers: { 'content-type': 'application/json', 'x-key': 'sesame' },
      },
    ]);
    expect(one.field.received.at(-1)?.headers['cache-control']).toBe('no-cache');
  });

  it('that the device does later is waited for, within the time of a read-back', async () => {
    const one = await openPull();
    let asked = 0;
    one.field.answer = (response, { method }) => {
      if (method === 'PUT') return status(204)(response);
      asked += 1;
      if (asked > 2) one.field.more = { setPoint: 24 };
      return false;
    };
    expect(await write(one, '24')).toMatchObject({ status: 'SUCCESS', readBack: '24' });
  });

  it('that the device only says it did is no success: it reads back what it holds', async () => {
    const one = await openPull();
    one.field.answer = (response, { method }) => method === 'PUT' && status(204)(response);
    expect(await write(one, '24')).toMatchObject({ status: 'SUCCESS', readBack: '20' });
  });

  it('is not proved by an answer from before it', async () => {
    const one = await openPull({ timePath: '$.at' });
    one.field.more = { setPoint: 24, at: one.bench.clock.now() - 10_000 };
    one.field.answer = (response, { method }) => method === 'PUT' && status(204)(response);
    expect(await write(one, '24')).toMatchObject({
      status: 'SUCCESS',
      readBack: null,
      errorCode: 'READ_BACK_FAILED',
    });
  });

  it('to a point that is only written is done, and not verified', async () => {
    const one = await openPull({}, { rw: 'WRITE_ONLY' });
    expect(await write(one, '24')).toMatchObject({ status: 'SUCCESS', readBack: null });
    expect(one.field.setPoint()).toBe(24);
  });

  it.each<[string, HttpField['answer'], object]>([
    ['that is refused has failed', status(403), { status: 'FAILED', errorCode: 'DEVICE_REFUSED' }],
    ['with an error of the server is unknown', status(500), { status: 'UNKNOWN' }],
    ['that timed out there is unknown', status(408), { status: 'UNKNOWN' }],
    ['that is sent elsewhere is unknown', status(303, { location: '/' }), { status: 'UNKNOWN' }],
    [
      'without an answer is unknown',
      (response) => {
        response.destroy();
        return true;
      },
      { status: 'UNKNOWN' },
    ],
  ])('%s', async (_what, answer, result) => {
    const one = await openPull();
    one.field.answer = (response, received) =>
      received.method === 'PUT' && answer(response, received);
    expect(await write(one, '24')).toMatchObject(result);
    expect(one.field.received.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  });

  it('that is refused and done all the same is unknown', async () => {
    const one = await openPull();
    one.field.answer = (response, { method }) => {
      if (method !== 'PUT') return false;
      one.field.more = { setPoint: 24 };
      return status(409)(response);
    };
    expect(await write(one, '24')).toMatchObject({ status: 'UNKNOWN' });
  });

  it('to a device that is away has failed: nothing was sent', async () => {
    const one = await openPull();
    await one.field.stop();
    expect(await write(one, '24')).toMatchObject({ status: 'FAILED', errorCode: 'DEVICE_OFFLINE' });
  });

  it('to a device that pushes is verified by its next push, and by no older one', async () => {
    const field = await openField();
    const writeUrl = `http://${field.hostPort}/set-point`;
    const device = driverDevice({ secret: secretOf(1) }, [
      { id: '2', code: 'setPoint', rw: 'READ_WRITE', configs: { writeUrl } },
    ]);
    const bench = await openHttpBench([device], { allow: [field.hostPort] });
    onTestFinished(() => bench.stop());
    const now = bench.clock.now();
    const push = (value: number, time: number) =>
      bench.push({ values: [{ point: 'setPoint', value, time }] });
    const first = await bench.center.send({ type: 'WRITE', pointId: '2', value: '24' });
    await until(() => expect(field.writes()).toBe(1));
    await push(24, now - 10_000);
    await push(24, now);
    expect(await bench.center.result(first.commandId)).toMatchObject({
      status: 'SUCCESS',
      readBack: '24',
    });
    const second = await bench.center.send({ type: 'WRITE', pointId: '2', value: '25' });
    await until(() => expect(field.writes()).toBe(2));
    await push(24, now + 1);
    await bench.clock.advance(4_000);
    expect(await bench.center.result(second.commandId)).toMatchObject({ readBack: '24' });
  });
});
