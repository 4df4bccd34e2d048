import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { CoapResponse, Observation } from '../../../driver/coap/contract.ts';
import { ascii, failure, hex, unspaced, Wire } from '../../support/devices/coap.ts';
import { openRawPeer, until } from '../../support/devices/udp.ts';

/** Uri-Path 3, 0, 9 as first options, and after an Observe option. */
const PATH = 'b1 33 01 30 01 39';
const OBSERVED_PATH = '51 33 01 30 01 39';

let wire: Wire;
let heard: string[];

beforeEach(async () => {
  wire = await Wire.open();
  heard = [];
});

afterEach(() => wire.close());

const notified = ({ payload }: CoapResponse): void => void heard.push(payload.toString());

function observe(): Promise<Observation> {
  const peer = { address: '127.0.0.1', port: wire.device.port };
  const deadline = wire.clock.now() + 60_000;
  return wire.endpoint.observe(peer, { method: 'GET', path: ['3', '0', '9'], deadline }, notified);
}

/** An observation that the device took, with the number 5. */
async function begun(): Promise<{ token: string; observation: Observation }> {
  const asked = observe();
  const { mid, token } = await wire.seen();
  await wire.tell(`6845 ${mid} ${token} 61 05 ff ${ascii('first')}`);
  return { token, observation: await asked };
}

const says = (token: string, mid: string, number: string, text: string): string =>
  `4845 ${mid} ${token} 61 ${number} ff ${ascii(text)}`;

/** RFC 7641, as the side that observes. */
describe('an observation', () => {
  it('begins with Observe 0, and takes confirmable and other notifications of its token', async () => {
    const asked = observe();
    const { mid, token, rest } = await wire.seen();
    expect(rest).toBe(unspaced(`60 ${OBSERVED_PATH}`));
    await wire.tell(`6845 ${mid} ${token} 61 05 ff ${ascii('first')}`);
    expect((await asked).response).toMatchObject({ observe: 5, payload: Buffer.from('first') });
    expect(await wire.ask(says(token, '7701', '06', 'second'))).toBe('60007701');
    await wire.tell(`5845 7702 ${token} 61 07 ff ${ascii('third')}`);
    expect(await wire.isSilent()).toBe(true);
    expect(heard).toEqual(['second', 'third']);
    expect(wire.endpoint.stats().observations).toBe(1);
  });

  it.each([
    ['4845', 'confirmable'],
    ['5845', 'non-confirmable'],
  ])('resets a %s notification of another token (%s)', async (head) => {
    await begun();
    expect(await wire.ask(`${head} 7701 0102030405060708 61 06 ff 30`)).toBe('70007701');
    expect(heard).toEqual([]);
  });

  it('takes a notification once that comes twice, and acknowledges it each time', async () => {
    const { token } = await begun();
    const notification = says(token, '7701', '06', 'second');
    expect(await wire.ask(notification)).toBe('60007701');
    expect(await wire.ask(notification)).toBe('60007701');
    await until(() => heard.length > 0);
    expect(heard).toEqual(['second']);
  });

  it('acknowledges a notification that a newer one overtook, and drops it', async () => {
    const { token } = await begun();
    expect(await wire.ask(says(token, '7702', '08', 'newer'))).toBe('60007702');
    expect(await wire.ask(says(token, '7701', '07', 'older'))).toBe('60007701');
    await until(() => heard.length > 0);
    expect(heard).toEqual(['newer']);
  });

  it('gets the later blocks of a notification without asking for another observation', async () => {
    const { token } = await begun();
    const block = 'x'.repeat(16);
    // Observe 6, Block2 0 with more to come of 16 bytes.
    expect(await wire.ask(`4845 7701 ${token} 61 06 d1 04 08 ff ${ascii(block)}`)).toBe('60007701');
    const rest = await wire.seen();
    expect(rest.rest).toBe(unspaced(`${PATH} c1 10`));
    await wire.tell(`6845 ${rest.mid} ${rest.token} d1 0a 10 ff ${ascii('end')}`);
    await until(() => heard.length > 0);
    expect(heard).toEqual([`${block}end`]);
  });

  it('drops a notification whose later blocks come after a newer one', async () => {
    const { token } = await begun();
    const block = 'x'.repeat(16);
    expect(await wire.ask(`4845 7701 ${token} 61 06 d1 04 08 ff ${ascii(block)}`)).toBe('60007701');
    const rest = await wire.seen();
    expect(await wire.ask(says(token, '7702', '07', 'newer'))).toBe('60007702');
    await wire.tell(`6845 ${rest.mid} ${rest.token} d1 0a 10 ff ${ascii('end')}`);
    expect(await wire.isSilent()).toBe(true);
    expect(heard).toEqual(['newer']);
  });

  it('is over with an error, and its next notification is reset', async () => {
    const { token } = await begun();
    expect(await wire.ask(`4884 7701 ${token}`)).toBe('60007701');
    expect(wire.endpoint.stats().observations).toBe(0);
    expect(await wire.ask(says(token, '7702', '07', 'late'))).toBe('70007702');
    expect(heard).toEqual(['']);
  });

  it('leaves a notification from a strange address without an answer and without an effect', async () => {
    const { token } = await begun();
    const moved = await openRawPeer();
    await moved.send(hex(says(token, '7701', '06', 'moved')), wire.endpoint.port);
    // The next answer is that to a ping.
    expect((await moved.ask(hex('4000 eeee'), wire.endpoint.port)).toString('hex')).toBe(
      '7000eeee',
    );
    await moved.close();
    expect(heard).toEqual([]);
    expect(await wire.ask(says(token, '7702', '07', 'here'))).toBe('60007702');
  });

  it('is cancelled by Observe 1 with its token', async () => {
    const { token, observation } = await begun();
    const cancelled = observation.running?.cancel();
    const last = await wire.seen();
    expect(last).toMatchObject({ token, rest: unspaced(`61 01 ${OBSERVED_PATH}`) });
    await wire.tell(`6845 ${last.mid} ${token} ff ${ascii('last')}`);
    expect(await cancelled).toBe(true);
    expect(await wire.ask(says(token, '7701', '06', 'late'))).toBe('70007701');
    expect([heard, wire.endpoint.stats().observations]).toEqual([[], 0]);
  });

  it('is cancelled also where the device is silent', async () => {
    const { observation } = await begun();
    const cancelled = observation.running?.cancel();
    await wire.seen();
    await wire.clock.advance(11_000);
    expect(await cancelled).toBe(false);
  });

  it('is ended without a word: the next notification is reset', async () => {
    const { token, observation } = await begun();
    observation.running?.end();
    expect(await wire.ask(says(token, '7701', '06', 'late'))).toBe('70007701');
    expect([heard, wire.endpoint.stats().observations]).toEqual([[], 0]);
  });

  it('is none where the device answers without Observe, with an error, or not at all', async () => {
    const plain = observe();
    const first = await wire.seen();
    await wire.tell(`6845 ${first.mid} ${first.token} ff ${ascii('once')}`);
    expect(await plain).toMatchObject({ response: { code: 0x45 }, running: null });
    const refused = observe();
    const second = await wire.seen();
    await wire.tell(`6884 ${second.mid} ${second.token}`);
    expect(await refused).toMatchObject({ response: { code: 0x84 }, running: null });
    const silent = failure(observe());
    await wire.seen();
    await wire.clock.advance(94_000);
    expect(await silent).toBe('timeout-before-ack');
    expect(wire.endpoint.stats().observations).toBe(0);
  });
});
