import { describe, expect, it } from 'vitest';

import type { MqttBench } from '../../support/mqtt/bench.ts';
import { MqttCase } from '../../support/mqtt/case.ts';
import { mosquittoPub, quietly, startField } from '../../support/mqtt/field.ts';
import { until } from '../../support/world/until.ts';

const at = new MqttCase();
let bench: MqttBench;

const TIMED = { valuePath: '$.v', timePath: '$.ts' };
const T0 = Date.now() - 60_000;
const values = () => bench.center.values.map(({ calValue, originTime }) => [calValue, originTime]);
const came = (count: number) => until(() => expect(bench.center.values).toHaveLength(count));

describe('values', () => {
  it('come with the time of the device, to the last digit', async () => {
    bench = await at.open(TIMED);
    await mosquittoPub(
      at.broker.port,
      '-q',
      '1',
      '-t',
      'dev-1/temperature',
      '-m',
      `{"v":21.30000000000000000001,"ts":${T0}}`,
    );
    await came(1);
    expect(bench.center.values[0]).toMatchObject({
      rawValue: '21.30000000000000000001',
      originTime: T0,
      quality: 0,
    });
  });

  it('that the broker had stored count only with their own time (thingsboard#1264)', async () => {
    await at.field.send('dev-1/temperature', JSON.stringify({ v: 7, ts: T0 }), true);
    await at.field.send('dev-1/other', '8', true);
    bench = await at.open(TIMED);
    await came(1);
    expect(values()).toEqual([['7', T0]]);
    await bench.stop();
    bench = await at.open({ topic: 'dev-1/other' });
    await quietly();
    expect(bench.center.values).toEqual([]);
  });

  it('without a time that waited in the broker are never stamped as fresh (thingsboard-gateway#2119)', async () => {
    bench = await at.open({});
    await bench.away();
    await at.field.send('dev-1/temperature', '99');
    await bench.back();
    await until(() => expect(bench.status().status).toBe('ONLINE'));
    await at.field.send('dev-1/temperature', '20');
    await came(1);
    expect(bench.center.values[0]?.calValue).toBe('20');
  });

  it('of one millisecond are both stored (thingsboard#1579)', async () => {
    bench = await at.open(TIMED);
    await at.send(1, T0);
    await at.send(2, T0);
    await came(2);
    expect(values()).toEqual([
      ['1', T0],
      ['2', T0],
    ]);
    expect(new Set(bench.center.values.map(({ seq }) => seq)).size).toBe(2);
  });

  it('of a backlog of a thousand come once each, with their own times (mysa2mqtt#202)', async () => {
    bench = await at.open(TIMED);
    await bench.away();
    for (let i = 0; i < 1000; i += 1)
      at.field.client.publish('dev-1/temperature', JSON.stringify({ v: i, ts: T0 + i }), {
        qos: 1,
      });
    await at.send(1000, T0 + 1000);
    await bench.back();
    await came(1001);
    expect(values()).toEqual(Array.from({ length: 1001 }, (_, i) => [String(i), T0 + i]));
  });

  it('that are repeated are the same row: by their time, or by their id', async () => {
    bench = await at.open(TIMED);
    await at.send(5, T0);
    await at.send(5, T0);
    await came(2);
    expect(
      new Set(bench.center.values.map(({ seq, originTime }) => `${seq} ${originTime}`)).size,
    ).toBe(1);
    await bench.stop();
    bench = await at.open({ valuePath: '$.v', idPath: '$.id' });
    for (const id of ['a', 'a', 'b']) await at.send(6, T0, { id });
    await came(2);
    await quietly();
    expect(bench.center.values).toHaveLength(2);
  });

  it('are not acknowledged before they are handed on, and come again (QoS 1)', async () => {
    bench = await at.open(TIMED);
    const { bus } = bench.center;
    const publish = bus.publish.bind(bus);
    let isAway = true;
    bus.publish = async (...given: Parameters<typeof publish>) => {
      if (isAway && given[0] === 'svc.e.value') throw new Error('the bus is away');
      await publish(...given);
    };
    await at.send(3, T0);
    await until(() => expect(bench.status().description).toMatch(/could not be handed on/));
    isAway = false;
    await came(1);
    expect(values()).toEqual([['3', T0]]);
  });

  it('by a topic alias come from their topic (paho.mqtt.java#1104)', async () => {
    bench = await at.open(TIMED);
    const aliased = await startField(at.broker.url, {
      name: 'dev-2',
      options: { autoAssignTopicAlias: true },
    });
    for (const v of [1, 2])
      await aliased.send('dev-1/temperature', JSON.stringify({ v, ts: T0 + v }));
    await came(2);
    await aliased.stop();
    expect(values()).toEqual([
      ['1', T0 + 1],
      ['2', T0 + 2],
    ]);
  });

  it.each([
    ['no JSON', 'warm', 'no JSON'],
    ['no time', '{"v":1,"q":"good"}', 'no time'],
    ['an object', `{"v":{},"ts":${T0},"q":"good"}`, 'no single value'],
    ['a bad quality', `{"v":1,"ts":${T0},"q":"BAD"}`, 'calls it BAD'],
  ])('that are %s are BAD, with the reason', async (_what, payload, reason) => {
    bench = await at.open({ ...TIMED, qualityPath: '$.q' });
    await at.field.send('dev-1/temperature', payload);
    await came(1);
    expect(bench.center.values[0]).toMatchObject({
      quality: 2,
      issue: expect.stringContaining(reason),
      rawValue: '',
    });
  });

  it('in lists and in bytes are read', async () => {
    bench = await at.open({ ...TIMED, itemsPath: '$.items' });
    await at.field.send(
      'dev-1/temperature',
      JSON.stringify({
        items: [
          { v: 1, ts: T0 },
          { v: 2, ts: T0 + 5 },
        ],
      }),
    );
    await came(2);
    expect(values()).toEqual([
      ['1', T0],
      ['2', T0 + 5],
    ]);
    await bench.stop();
    bench = await at.open({}, { format: 'int16', offset: '1', byteOrder: 'little' });
    await at.field.send('dev-1/temperature', Buffer.from([9, 0xfe, 0xff]));
    await came(1);
    expect(bench.center.values[0]?.calValue).toBe('-2');
  });

  it('of a shared subscription come to one of several nodes, each once', async () => {
    bench = await at.open({ ...TIMED, sharedGroup: 'svc' });
    const other = await at.open({ ...TIMED, sharedGroup: 'svc' }, {}, 'n2');
    for (let i = 0; i < 20; i += 1) await at.send(i, T0 + i);
    const all = () => [...bench.center.values, ...other.center.values];
    await until(() => expect(all()).toHaveLength(20));
    expect(new Set(all().map(({ calValue }) => calValue)).size).toBe(20);
    expect(other.center.values.length).toBeGreaterThan(0);
  });
});
