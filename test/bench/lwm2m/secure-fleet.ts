import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

import { DtlsClient } from '../../support/devices/dtls-client.ts';

export const KEY = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
const ANSWER_MS = 5_000;
/** Records on their way. */
const IN_FLIGHT = 32;

/** A client with a session, on a socket of its own. */
export class SecureClient {
  #socket: Socket;
  #client: DtlsClient;

  private constructor(socket: Socket, client: DtlsClient) {
    this.#socket = socket;
    this.#client = client;
  }

  /** One whole handshake with a cookie. */
  static async open(port: number, identity: string): Promise<SecureClient> {
    const socket = createSocket('udp4');
    socket.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const client = new DtlsClient({ identity: Buffer.from(identity), key: KEY });
    const opened = new SecureClient(socket, client);
    const verify = await opened.#ask([client.hello()]);
    const flight = await opened.#ask([client.hello(client.cookieIn(verify))]);
    const last = await opened.#ask(client.proof(flight));
    if (!client.isProven(last)) throw new Error('the server did not prove its key');
    return opened;
  }

  /** Records made ahead: the load is not to be what is measured. */
  sealed(count: number, data: Buffer): Buffer[] {
    return Array.from({ length: count }, () => this.#client.seal(data));
  }

  /** Sends all records and counts as many answers, some in flight at a time. */
  async exchange(records: readonly Buffer[]): Promise<void> {
    let [sent, answers] = [0, 0];
    const done = Promise.withResolvers<void>();
    const timer = setTimeout(() => done.reject(new Error('records are missing')), 60_000);
    const send = (): void => {
      const record = records[sent++];
      if (record) this.#socket.send(record);
    };
    const answered = (): void => {
      answers += 1;
      if (answers === records.length) done.resolve();
      else send();
    };
    this.#socket.on('message', answered);
    for (let turn = 0; turn < IN_FLIGHT; turn += 1) send();
    try {
      await done.promise;
    } finally {
      clearTimeout(timer);
      this.#socket.off('message', answered);
    }
  }

  close(): void {
    this.#socket.close();
  }

  async #ask(datagrams: readonly Buffer[]): Promise<Buffer> {
    const answer = once(this.#socket, 'message', { signal: AbortSignal.timeout(ANSWER_MS) });
    for (const datagram of datagrams) this.#socket.send(datagram);
    const [bytes]: unknown[] = await answer;
    if (!Buffer.isBuffer(bytes)) throw new Error('no datagram');
    return bytes;
  }
}
