import { beforeEach, describe, expect, it } from 'vitest';

import { Code, type Message, MessageType } from '../../driver/coap/message/message.ts';
import { OptionNumber, uintOption } from '../../driver/coap/message/option.ts';
import { Observations } from '../../driver/coap/observations.ts';
import { TestClock } from '../support/world/clock.ts';

let clock: TestClock;
let observations: Observations;
let heard: string[];
const remote = { key: 'one', peer: { address: '127.0.0.1', port: 40_000 } };

beforeEach(() => {
  clock = new TestClock(Date.parse('2026-01-05T08:00:00.000Z'));
  observations = new Observations(clock);
  heard = [];
  observations.add(remote, 'token', ({ payload }) => heard.push(payload.toString()));
});

const notification = (
  number: number | null,
  text: string,
  code: number = Code.CONTENT,
): Message => ({
  type: MessageType.NON,
  code,
  mid: 1,
  token: 'token',
  options: number === null ? [] : [uintOption(OptionNumber.OBSERVE, number)],
  payload: Buffer.from(text),
});

/** RFC 7641 3.4: which of two notifications is the newer one. */
describe('a notification', () => {
  it.each([
    ['is taken after a lower number', 4, 5, 1, true],
    ['is dropped after a higher one', 5, 4, 1, false],
    ['is dropped the second time', 5, 5, 1, false],
    ['is taken where the numbers went round', 16_777_215, 2, 1, true],
    ['is dropped from before they went round', 2, 16_777_215, 1, false],
    ['is dropped half way round', 0, 8_388_608, 1, false],
    ['is taken just before half way round', 0, 8_388_607, 1, true],
    ['is taken whatever its number after 128 s', 5, 4, 128_001, true],
    ['is dropped until then', 5, 4, 128_000, false],
  ])('%s', async (_what, first, second, ms, isTaken) => {
    expect(observations.takes('one', notification(first, 'first'))).toBe(true);
    await clock.advance(ms);
    // Of a living observation either way: no reset may answer it.
    expect(observations.takes('one', notification(second, 'second'))).toBe(true);
    expect(heard).toEqual(isTaken ? ['first', 'second'] : ['first']);
  });

  it.each([
    ['an error', notification(7, 'gone', Code.NOT_FOUND)],
    ['no number', notification(null, 'last')],
  ])('with %s is the last one', (_what, last) => {
    expect(observations.takes('one', last)).toBe(true);
    expect(observations.takes('one', notification(8, 'later'))).toBe(false);
    expect([heard.length, observations.size]).toEqual([1, 0]);
  });

  it('of another peer is none of this observation, but its token names the one that was asked', () => {
    expect(observations.takes('other', notification(1, 'strange'))).toBe(false);
    expect(observations.peerOf('token')).toEqual(remote.peer);
    expect(heard).toEqual([]);
  });

  it('of a peer that is gone is not taken', () => {
    observations.endOf('one');
    expect(observations.takes('one', notification(1, 'late'))).toBe(false);
    expect([observations.peerOf('token'), observations.size]).toEqual([null, 0]);
  });
});
