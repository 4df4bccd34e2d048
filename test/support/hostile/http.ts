import { Agent, request } from 'node:http';
import { connect } from 'node:net';

export type Sent = {
  method: string;
  /** As it goes on the wire, escapes and all. */
  path: string;
  /** Name, value, name, value: a name may stand twice. */
  headers?: readonly string[];
  body?: string | Buffer | undefined;
};

export type Got = {
  status: number;
  type: string;
  text: string;
  location: string;
  /** A file to keep, instead of an answer to read. */
  isFile: boolean;
  ms: number;
};

/** Longer than the longest tool waits (20 s). */
const TIMEOUT_MS = 30_000;
const FILE = /^attachment\b/i;
const MAX_ANSWER = 32 * 1024 * 1024;

/** A client that sends what it is told; one for a surface, closed at its end. */
export class HostileClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });
  readonly #base: URL;

  constructor(base: string) {
    this.#base = new URL(base);
  }

  /** Status 0 stands for a connection that ended or stayed silent without an answer. */
  send({ method, path, headers = [], body }: Sent): Promise<Got> {
    const startedAt = performance.now();
    const { hostname, port, host } = this.#base;
    const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))];
    const { promise, resolve } = Promise.withResolvers<Got>();
    const done = (got: Omit<Got, 'ms'>): void =>
      resolve({ ...got, ms: performance.now() - startedAt });
    const nothing = (why: string): void =>
      done({ status: 0, type: '', text: why, location: '', isFile: false });
    try {
      const outgoing = request({
        agent: this.#agent,
        hostname,
        port,
        method,
        path,
        headers: ['host', host, ...length, ...headers],
        timeout: TIMEOUT_MS,
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('timeout')));
      outgoing.on('error', (error) => nothing(error.message));
      outgoing.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          if (text.length < MAX_ANSWER) text += part;
        });
        response.on('error', (error) => nothing(error.message));
        response.on('end', () =>
          done({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            location: response.headers.location ?? '',
            isFile: FILE.test(response.headers['content-disposition'] ?? ''),
            text,
          }),
        );
      });
      outgoing.end(body);
    } catch (error) {
      // Node's own client refuses to write it: nothing left this machine.
      nothing(`unsent: ${String(error)}`);
    }
    return promise;
  }

  /** Bytes as they are, on a connection of their own; waits at most `patienceMs` for the first answer. */
  async raw(bytes: Buffer | string, patienceMs = 300): Promise<Got> {
    const startedAt = performance.now();
    const { hostname, port } = this.#base;
    const socket = connect(Number(port), hostname);
    const { promise, resolve } = Promise.withResolvers<string>();
    const late = setTimeout(() => resolve(text), patienceMs);
    let text = '';
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    socket.on('data', (part) => {
      text += part.toString('latin1');
    });
    socket.write(bytes);
    const answer = await promise;
    clearTimeout(late);
    socket.destroy();
    const [head = '', ...rest] = answer
      .replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
      .split('\r\n\r\n');
    const body = rest.join('\r\n\r\n');
    return {
      status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
      type: /^content-type: *(.*)$/im.exec(head)?.[1]?.trim() ?? '',
      location: '',
      isFile: FILE.test(/^content-disposition: *(.*)$/im.exec(head)?.[1] ?? ''),
      text: /^transfer-encoding: *chunked/im.test(head) ? unchunked(body) : body,
      // What it waited for is its own patience.
      ms: text === '' ? 0 : Math.max(0, performance.now() - startedAt - patienceMs),
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Without the lengths of its chunks. */
const unchunked = (body: string): string =>
  body.replaceAll(/(?:^|\r\n)[\da-f]+\r\n/g, '').replace(/\r\n$/, '');

/** `['a', '1']` of `{a: '1'}`. */
export const flat = (headers: Record<string, string>): string[] => Object.entries(headers).flat();
