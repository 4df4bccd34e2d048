import { hex } from '../../devices/coap.ts';
import { DtlsClient } from '../../devices/dtls-client.ts';
import { type KnownDevice, registerAs } from './known.ts';
import type { Peer } from './peer.ts';

/** What a mutated datagram is made of, and the way that it takes. */
export type Kind = {
  name: string;
  /** A true datagram of this kind; awaited, as some need an answer first. */
  seed(): Promise<Buffer> | Buffer;
  send(mutant: Buffer): void;
};

export type Wires = {
  clear: KnownDevice;
  secure: KnownDevice;
  /** Of addresses that the server knows nothing about. */
  strangers: { clear: Peer; secure: Peer };
  psk: { identity: string; key: string };
};

/** Requests, answers and transfers, as the units of CoAP have them. */
const COAP = [
  '4401 0001 01020304 b5 68656c6c6f',
  '4101 0002 aa b5 6c61726765 c1 16',
  '4002 0003 b2 7264 47 65703d6465762d31 04 6c743d3630 12 28 ff 3c2f332f303e',
  '4003 0004 b1 61 d1 03 08 d2 14 0400 ff 30313233343536373839616263646566',
  '4005 0006 b1 61 11 70 ff 80',
  '5001 0007 60 51 61',
  '4000 0008',
  '6845 0009 0102030405060708 d0 0e',
  '4845 000a 0102030405060708 60 51 05 ff 31',
].map(hex);

/** True steps of handshakes that are mutated again: the server answers a stranger about once a second. */
const MAX_FLIGHTS = 8;
/** Share of the seeds that are made anew. */
const RENEWED = 0.01;

export function kindsOf({ clear, secure, strangers, psk }: Wires, random: () => number): Kind[] {
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];
  const number = () => Math.floor(random() * 0xff_ff);
  const coap = (): Buffer =>
    pick([...COAP, registerAs(number(), `dev-${number()}`)]) ?? hex('4000 0008');
  const own = (device: KnownDevice): Buffer =>
    pick([
      () => device.notification(number()),
      () => device.update(),
      () => device.register(),
      coap,
    ])?.() ?? coap();
  const flights: Buffer[] = [];
  const flight = async (): Promise<Buffer> => {
    const known = random() < RENEWED ? undefined : flights[Math.floor(random() * MAX_FLIGHTS)];
    if (known) return known;
    const fresh = await handshakeStep(strangers.secure, psk, Math.floor(random() * 3));
    if (flights.push(fresh) > MAX_FLIGHTS) flights.shift();
    return fresh;
  };
  return [
    { name: 'CoAP of strangers', seed: coap, send: (bytes) => strangers.clear.send(bytes) },
    {
      name: 'CoAP of a registered device',
      seed: () => own(clear),
      send: (bytes) => clear.peer.send(bytes),
    },
    {
      name: 'notifications of a registered device',
      seed: () => clear.notification(number()),
      send: (bytes) => clear.peer.send(bytes),
    },
    {
      name: 'DTLS handshakes of strangers',
      seed: flight,
      send: (bytes) => strangers.secure.send(bytes),
    },
    {
      name: 'DTLS records of a session',
      seed: () => secure.wrapped(own(secure)),
      send: (bytes) => secure.peer.send(bytes),
    },
    {
      name: 'CoAP and notifications inside DTLS',
      seed: () => own(secure),
      send: (bytes) => secure.peer.send(secure.wrapped(bytes)),
    },
  ];
}

/** The first hello, the one with a cookie, or the proof with what comes with it. */
async function handshakeStep(
  peer: Peer,
  { identity, key }: { identity: string; key: string },
  step: number,
): Promise<Buffer> {
  const client = new DtlsClient({ identity: Buffer.from(identity), key: Buffer.from(key, 'hex') });
  if (step === 0) return client.hello();
  peer.received.length = 0;
  const isVerify = (answer: Buffer) => answer[0] === 22 && answer[13] === 3;
  const verify = await peer.ask(() => [client.hello()], isVerify);
  if (!verify) return client.hello();
  const hello = client.hello(client.cookieIn(verify));
  if (step === 1) return hello;
  const flight = await peer.ask(
    () => [hello],
    (answer) => answer[0] === 22 && answer[13] === 2,
  );
  return flight ? Buffer.concat(client.proof(flight)) : hello;
}

/** Changes, cuts, repeats or replaces bytes. */
export function mutant(random: () => number, seed: Buffer): Buffer {
  const upTo = (limit: number): number => Math.floor(random() * limit);
  if (random() < 0.1) return Buffer.from(Array.from({ length: 1 + upTo(80) }, () => upTo(256)));
  const bytes = Buffer.from(seed);
  for (let changes = 1 + upTo(4); changes > 0; changes -= 1) bytes[upTo(bytes.length)] = upTo(256);
  if (random() < 0.2) return bytes.subarray(0, 1 + upTo(bytes.length));
  return random() < 0.1 ? Buffer.concat([bytes, bytes.subarray(upTo(bytes.length))]) : bytes;
}
