import { beforeEach, describe, expect, it } from 'vitest';

import { MqttCase } from '../../support/mqtt/case.ts';
import { quietly } from '../../support/mqtt/field.ts';
import { until } from '../../support/world/until.ts';

const at = new MqttCase();
const T0 = Date.now() - 60_000;

/** What the device got, by topic. */
let got: [topic: string, payload: string][];
/** What it answers at the topic of the reply, if anything. */
let answer: ((payload: string) => string) | null;

beforeEach(async () => {
  got = [];
  answer = null;
  await at.field.client.subscribeAsync('dev-1/call/#', { qos: 1 });
  at.field.client.on('message', (topic, payload, { properties }) => {
    if (!topic.startsWith('dev-1/call/')) return;
    got.push([topic, payload.toString()]);
    const { responseTopic = 'dev-1/answer', correlationData: data } = properties ?? {};
    if (!answer) return;
    void at.field.client.publishAsync(responseTopic, answer(payload.toString()), {
      qos: 1,
      properties: { ...(data && { correlationData: data }) },
    });
  });
});

const calling = (configs: Record<string, string>, of: Record<string, string> = {}) =>
  at.open(of, {}, 'n1', {
    commands: [
      {
        id: '7',
        code: 'purge',
        configs: { topic: '${device}/call/${command}', replyTopic: '${device}/answer', ...configs },
      },
    ],
  });

describe('a command over MQTT', () => {
  it('is sent once with its parameters, and gives back what the device answers', async () => {
    const { center } = await calling({ payload: '{"s":${seconds},"who":"${who}","id":"${id}"}' });
    answer = () => '{"left":12.50,"ok":true,"parts":[1,2],"none":null}';
    expect(await center.call('7', { seconds: '30', who: 'a "b"' })).toMatchObject({
      status: 'SUCCESS',
      resultValues: { left: '12.50', ok: 'true', parts: '[1,2]' },
    });
    expect(got).toEqual([
      [
        'dev-1/call/purge',
        expect.stringMatching(/^{"s":30,"who":"a \\"b\\"","id":"[0-9a-f-]{36}"}$/),
      ],
    ]);
  });

  it('has all its parameters as an object unless its payload says otherwise', async () => {
    const { center } = await calling({});
    answer = () => 'done';
    expect(await center.call('7', { seconds: '30' })).toMatchObject({
      status: 'SUCCESS',
      resultValues: { value: 'done' },
    });
    expect(got).toEqual([['dev-1/call/purge', '{"seconds":"30"}']]);
  });

  it('without an answer is unknown: the device may have done it', async () => {
    const { center } = await calling({});
    expect(await center.call('7')).toMatchObject({
      status: 'UNKNOWN',
      errorCode: 'NOT_CONFIRMED',
      errorMessage: expect.stringContaining('did not answer at dev-1/answer'),
    });
    expect(got).toHaveLength(1);
  });

  it('that the device refuses has failed, where the answer surely is to it', async () => {
    const { center } = await calling({ replyPath: '$.ok' });
    answer = () => '{"ok":false}';
    expect(await center.call('7')).toMatchObject({ status: 'FAILED', errorCode: 'DEVICE_REFUSED' });
  });

  it('to a device that is offline, or with parameters that make no JSON, is not sent', async () => {
    const { center } = await calling({ payload: '{"s":${seconds}}' });
    expect(await center.call('7', { seconds: '1,"x":2"' })).toMatchObject({
      status: 'FAILED',
      errorCode: 'POINT_CONFIG',
    });
    await at.field.send('dev-1/status', 'offline', true);
    await until(async () =>
      expect(await center.call('7', { seconds: '1' })).toMatchObject({
        status: 'FAILED',
        errorCode: 'DEVICE_OFFLINE',
      }),
    );
    await quietly();
    expect(got).toEqual([]);
  });
});

describe('an event over MQTT', () => {
  const alert = { type: 'ALERT', level: 'HIGH' } as const;
  const reporting = () =>
    at.open({}, {}, 'n1', {
      events: [
        {
          id: '1',
          code: 'leak',
          ...alert,
          configs: {
            topic: '${device}/events',
            codePath: '$.what',
            timePath: '$.ts',
            paramsPath: '$.data',
            messagePath: '$.text',
          },
        },
        {
          id: '2',
          code: 'door',
          type: 'INFO',
          level: 'LOW',
          configs: { topic: '${device}/door', idPath: '$.id' },
        },
      ],
    });
  const send = (topic: string, message: object, retain = false) =>
    at.field.send(`dev-1/${topic}`, JSON.stringify(message), retain);

  it('comes with its time, its parameters, and what the profile says of it', async () => {
    const { center } = await reporting();
    await send('events', { what: 'leak', ts: T0, data: { litres: 2.5, valve: 'A' }, text: 'wet' });
    await send('events', { what: 'other', ts: T0 });
    await until(() => expect(center.events).toHaveLength(1));
    expect(center.events).toMatchObject([
      {
        eventCode: 'leak',
        eventType: 'ALERT',
        eventLevel: 'HIGH',
        occurTime: T0,
        params: { litres: '2.5', valve: 'A' },
        message: 'wet',
      },
    ]);
  });

  it('that comes again, by its id or its time, has the same record', async () => {
    const { center } = await reporting();
    for (const id of ['a', 'a', 'b']) await send('door', { id, open: true });
    for (const ts of [T0, T0, T0 + 1]) await send('events', { what: 'leak', ts });
    await until(() => expect(center.events).toHaveLength(6));
    const records = (code: string) =>
      new Set(center.events.filter((each) => each.eventCode === code).map((each) => each.recordId));
    expect([records('door').size, records('leak').size]).toEqual([2, 2]);
  });

  it('that the broker had stored counts only with its own time', async () => {
    await send('door', { id: 'old' }, true);
    await send('events', { what: 'leak', ts: T0 }, true);
    const { center } = await reporting();
    await until(() => expect(center.events).toHaveLength(1));
    await quietly();
    expect(center.events).toMatchObject([{ eventCode: 'leak', occurTime: T0 }]);
  });
});
