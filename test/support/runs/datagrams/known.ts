import {
  Code,
  EMPTY,
  MessageType,
  parseMessage,
  serialiseMessage,
} from '../../../../driver/coap/message/message.ts';
import { OptionNumber, textOptions, uintOption } from '../../../../driver/coap/message/option.ts';
import { answerTo, locationIn, notification } from '../../../bench/lwm2m/device.ts';
import { DtlsClient } from '../../devices/dtls-client.ts';
import { Peer } from './peer.ts';

const LINKS = Buffer.from('</>;rt="oma.lwm2m";ct="110",</1/0>,</3/0>,</3303/0>,</3308/0>');
const LIFETIME_S = 3_600;
const FIRST_RESPONSE = 0x40;
/**
 * Message ids of what is to be mutated, and of what is asked: a mutant may have any id near its own, and the server
 * answers the same id of a peer only once.
 */
const MUTATED = 20_000;
const ASKED = 50_000;

const confirmable = (
  mid: number,
  options: Parameters<typeof serialiseMessage>[0]['options'],
  payload = EMPTY,
) =>
  serialiseMessage({
    type: MessageType.CON,
    code: Code.POST,
    mid,
    token: String.fromCharCode(mid >> 8, mid & 0xff),
    options,
    payload,
  });

export const registerAs = (mid: number, endpoint: string): Buffer =>
  confirmable(
    mid,
    [
      ...textOptions(OptionNumber.URI_PATH, ['rd']),
      uintOption(OptionNumber.CONTENT_FORMAT, 40),
      ...textOptions(OptionNumber.URI_QUERY, [`ep=${endpoint}`, `lt=${LIFETIME_S}`, 'lwm2m=1.1']),
    ],
    LINKS,
  );

/** A device that the platform knows, on a wire that is open to everything: it says what is right, and what is not. */
export class KnownDevice {
  /** Of the observation that the server began last. */
  token = '';
  readonly peer: Peer;
  #location: string[] = [];
  #client: DtlsClient | null = null;
  #mid = MUTATED;
  #asked = ASKED;
  #endpoint: string;

  private constructor(peer: Peer, endpoint: string) {
    this.peer = peer;
    this.#endpoint = endpoint;
    peer.take = (bytes) => this.#answers(bytes);
  }

  static async open(
    port: number,
    endpoint: string,
    psk?: { identity: string; key: string },
  ): Promise<KnownDevice> {
    const device = new KnownDevice(await Peer.open(port), endpoint);
    if (psk) await device.#shakeHands(psk);
    if (!(await device.registers())) throw new Error(`${endpoint} could not register`);
    return device;
  }

  /** Whether a true Register is answered with 2.01. */
  async registers(): Promise<boolean> {
    const mid = this.#nextAsked();
    const answer = await this.#exchange(mid, registerAs(mid, this.#endpoint));
    if (answer?.code === Code.CREATED) this.#location = locationIn(answer);
    return answer?.code === Code.CREATED;
  }

  /** Whether a true Update is answered with 2.04. */
  async updates(): Promise<boolean> {
    const mid = this.#nextAsked();
    const options = textOptions(OptionNumber.URI_PATH, this.#location);
    return (await this.#exchange(mid, confirmable(mid, options)))?.code === Code.CHANGED;
  }

  notification(number: number): Buffer {
    return notification(this.#next(), this.token, number);
  }

  update(): Buffer {
    return confirmable(this.#next(), textOptions(OptionNumber.URI_PATH, this.#location));
  }

  register(): Buffer {
    return registerAs(this.#next(), this.#endpoint);
  }

  /** As it goes over the wire. */
  wrapped(bytes: Buffer): Buffer {
    return this.#client ? this.#client.seal(bytes) : bytes;
  }

  close(): void {
    this.peer.close();
  }

  async #shakeHands({ identity, key }: { identity: string; key: string }): Promise<void> {
    const client = new DtlsClient({
      identity: Buffer.from(identity),
      key: Buffer.from(key, 'hex'),
      cid: Buffer.from('c1d0', 'hex'),
    });
    const verify = await this.peer.ask(() => [client.hello()]);
    const flight = verify && (await this.peer.ask(() => [client.hello(client.cookieIn(verify))]));
    const proof = flight && Buffer.concat(client.proof(flight));
    const last = proof && (await this.peer.ask(() => [proof]));
    if (!last || !client.isProven(last)) throw new Error('no session was opened');
    this.#client = client;
  }

  async #exchange(mid: number, message: Buffer) {
    const isAnswer = (bytes: Buffer) => bytes.length >= 4 && bytes.readUInt16BE(2) === mid;
    // The same message again has a record of its own.
    const answer = await this.peer.ask(() => [this.wrapped(message)], isAnswer);
    const parsed = answer && parseMessage(answer);
    return typeof parsed === 'string' ? null : parsed;
  }

  /** Opens what comes, and answers what the server asks. */
  #answers(datagram: Buffer): boolean {
    const bytes = this.#client ? this.#opened(datagram) : datagram;
    if (!bytes) return this.#client !== null;
    const code = bytes[1] ?? 0;
    const message = code > 0 && code < FIRST_RESPONSE ? parseMessage(bytes) : '';
    if (typeof message === 'string') {
      if (!this.#client) return false;
      this.peer.received.push(bytes);
      return true;
    }
    this.peer.send(this.wrapped(answerTo(message, (token) => (this.token = token))));
    return true;
  }

  #opened(record: Buffer): Buffer | null {
    try {
      return this.#client?.open(record)?.data ?? null;
    } catch {
      return null;
    }
  }

  #next(): number {
    this.#mid = MUTATED + ((this.#mid + 1 - MUTATED) % (ASKED - MUTATED));
    return this.#mid;
  }

  #nextAsked(): number {
    this.#asked = ASKED + ((this.#asked + 1 - ASKED) % (0x1_00_00 - ASKED));
    return this.#asked;
  }
}
