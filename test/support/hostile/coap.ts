import { openRawPeer, type RawPeer } from '../devices/udp.ts';
import type { Random } from './random.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const ascii = (text: string): string => Buffer.from(text).toString('hex');

/** One option with delta and length as CoAP writes them (RFC 7252 3.1). */
function option(delta: number, value: Buffer): Buffer {
  const nibble = (n: number): [number, Buffer] => {
    if (n < 13) return [n, Buffer.alloc(0)];
    if (n < 269) return [13, Buffer.from([n - 13])];
    return [14, Buffer.from([(n - 269) >> 8, (n - 269) & 255])];
  };
  const [d, dMore] = nibble(delta);
  const [l, lMore] = nibble(value.length);
  return Buffer.concat([Buffer.from([(d << 4) | l]), dMore, lMore, value]);
}

/** POST /rd with these queries and links, confirmable. */
export function registration(queries: readonly string[], links: string | Buffer): Buffer {
  let last = 11;
  const options = [option(11, Buffer.from('rd'))];
  options.push(option(12 - last, hex('28')));
  last = 12;
  for (const query of queries) {
    options.push(option(15 - last, Buffer.from(query)));
    last = 15;
  }
  const payload = links.length > 0 ? [hex('ff'), Buffer.from(links)] : [];
  return Buffer.concat([hex('4402 0000 11223344'), ...options, ...payload]);
}

export const LINKS = '</>;rt="oma.lwm2m";ct="110 11542",</1/0>,</3/0>,</3303/0>,</3308/0>;ver=1.1';

/** Requests a device could send. */
export const requests = (): Buffer[] => [
  registration(['ep=dev-1', 'lt=60', 'lwm2m=1.1', 'b=U'], LINKS),
  registration(['ep=dev-9', 'lt=4294967295', 'b=UQ', 'sms=+1'], LINKS),
  registration([`ep=${'e'.repeat(255)}`], '</3/0>'),
  hex(`4401 0001 01020304 b5 ${ascii('hello')}`),
  hex(`4001 0002 bb ${ascii('.well-known')} 04 ${ascii('core')}`),
  hex(`4002 0003 b2 ${ascii('rd')} 02 ${ascii('a1')} ff 00`),
  hex(`4004 0004 b2 ${ascii('rd')} 02 ${ascii('a1')}`),
  hex(`4003 0005 b1 61 d1 03 08 d2 14 0400 ff ${'30'.repeat(16)}`),
  hex(`4002 0006 b2 ${ascii('rd')} d1 03 0e ff ${'41'.repeat(60)}`),
  hex('4005 0007 b1 61 11 70 ff 80'),
  hex('5001 0008 60 51 61'),
  hex('4000 0009'),
  hex('7000 000a'),
  hex('6045 000b ff 31'),
  hex('5845 000c 0102030405060708 c0 ff 31'),
];

/** Bytes of one of `seeds` changed, cut, repeated or replaced; mostly with a message id of its own. */
export function mutant(random: Random, seeds: readonly Buffer[], { keepsId = false } = {}): Buffer {
  if (random.chance(0.15)) return random.bytes(random.upTo(80));
  let bytes = Buffer.from(random.pick(seeds));
  for (let changes = random.upTo(4); changes > 0; changes -= 1)
    bytes[random.upTo(bytes.length)] = random.upTo(256);
  if (!keepsId && bytes.length >= 4 && random.chance(0.9))
    bytes.writeUInt16BE(random.upTo(65_536), 2);
  if (random.chance(0.2)) bytes = bytes.subarray(0, random.upTo(bytes.length));
  if (random.chance(0.1)) bytes = Buffer.concat([bytes, random.bytes(random.upTo(1_200))]);
  return bytes;
}

/** A ping (an empty confirmable message), answered by a reset: how many ms it took. */
export async function ping(port: number): Promise<number> {
  const peer = await openRawPeer();
  const startedAt = performance.now();
  try {
    const reply = await peer.ask(hex('4000 eeee'), port);
    if (reply.toString('hex') !== '7000eeee') throw new Error(`ping: ${reply.toString('hex')}`);
    return performance.now() - startedAt;
  } finally {
    await peer.close();
  }
}

/** `4.03` of a datagram's code byte. */
export const codeOf = (datagram: Buffer): string => {
  const code = datagram[1] ?? 0;
  return datagram.length < 4 ? 'short' : `${code >> 5}.${String(code & 31).padStart(2, '0')}`;
};

/** Takes what a peer has received so far. */
export const drain = (peer: RawPeer): Buffer[] => peer.received.splice(0);
