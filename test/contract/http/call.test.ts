import { describe, expect, it } from 'vitest';

import { type Case, type Configs, openPull, status } from '../../support/http/pull.ts';

/** A device that is asked and has a command. */
async function withCommand(configs: Configs = {}, of: Configs = {}): Promise<Case> {
  const commands = [{ id: '7', code: 'purge', configs }];
  return openPull(of, { commands });
}

const json = (text: string) => status(200, { 'content-type': 'application/json' }, text);
const sentTo = ({ field }: Case) =>
  field.received
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path, body }) => [method, path, body]);

describe('a command over HTTP', () => {
  it('is sent once with its parameters, and gives back what the device answers', async () => {
    const one = await withCommand(
      { url: '/do/${command}', method: 'PUT', payload: '{"s":${seconds},"why":"${why}"}' },
      { header: 'X-Key: sesame' },
    );
    one.field.answer = (response, { method }) =>
      method === 'PUT' && json('{"left":12.50,"parts":[1,2]}')(response);
    const result = await one.bench.center.call('7', { seconds: '30', why: 'a "b"' });
    expect(result).toMatchObject({
      status: 'SUCCESS',
      resultValues: { left: '12.50', parts: '[1,2]' },
    });
    expect(sentTo(one)).toEqual([['PUT', '/do/purge', '{"s":30,"why":"a \\"b\\""}']]);
    const sent = one.field.received.find(({ method }) => method === 'PUT');
    expect(sent?.headers).toMatchObject({ 'x-key': 'sesame', 'content-type': 'application/json' });
  });

  it.each([
    ['says no', status(403), 'FAILED', 'DEVICE_REFUSED'],
    ['fails', status(500), 'UNKNOWN', 'HTTP_STATUS'],
    ['answers too much', json(`"${'x'.repeat(300_000)}"`), 'UNKNOWN', 'VALUE_INVALID'],
  ])('to a device that %s is %s with the reason', async (_what, answer, outcome, errorCode) => {
    const one = await withCommand();
    one.field.answer = (response, { method }) => method === 'POST' && answer(response);
    expect(await one.bench.center.call('7', { a: '1' })).toMatchObject({
      status: outcome,
      errorCode,
    });
    expect(sentTo(one)).toEqual([['POST', '/purge', '{"a":"1"}']]);
  });

  it('at another host, or with parameters that make no JSON, is not sent', async () => {
    const other = await withCommand({ url: 'https://other.example/x' });
    const broken = await withCommand({ payload: '{"s":${s}}' });
    for (const one of [other, broken]) {
      expect(await one.bench.center.call('7', { s: '1,"x":2"' })).toMatchObject({
        status: 'FAILED',
        errorCode: 'POINT_CONFIG',
      });
      expect(sentTo(one)).toEqual([]);
    }
  });
});
