import { Agent, request as open } from 'node:http';
import { performance } from 'node:perf_hooks';

const CONNECTIONS = 16;
/** All that are open are kept, and take turns. */
const MAX_CONNECTIONS = 1_000;
const TIMEOUT_MS = 60_000;

/** One HTTP request, the same bytes every time; `path` is below the server's URL. */
export type Request = {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
};

/** A POST of JSON. */
export function jsonRequest(path: string, content: unknown): Request {
  const body = JSON.stringify(content);
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  };
  return { method: 'POST', path, headers, body };
}

/** The bearer token of a call; null sends none. */
export type Token = string | null;

/** Calls per second, and the milliseconds of each answer in the order in which they ended. */
export type Load = { rate: number; waits: number[] };

/** One server seen from outside. */
export type Target = {
  send(request: Request, token: Token): Promise<string>;
  /**
   * Sends the request once with each of `tokens`, over `connections` kept ones (16), one call in flight on
   * each. Throws at the first answer that is not the `expected` one: a fast refusal is no result.
   */
  load(
    request: Request,
    given: { tokens: readonly Token[]; expected: string; connections?: number | undefined },
  ): Promise<Load>;
  close(): void;
};

/** The age of a value and the time go on while they are asked for; everything else in an answer stays, and it is JSON. */
export const steady = (answer: string): string =>
  answer.replaceAll(/(?<=ageS\\?":)\d+/g, '0').replaceAll(/(now\\?":\\?")[\dT:Z+-]+/g, '$1');

export function target(url: string): Target {
  const agent = new Agent({ keepAlive: true, scheduling: 'fifo', maxFreeSockets: MAX_CONNECTIONS });

  function send({ method, path, headers, body }: Request, token: Token): Promise<string> {
    const answer = Promise.withResolvers<string>();
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const outgoing = open(
      `${url}${path}`,
      { method, agent, headers: { ...headers, ...authorization }, timeout: TIMEOUT_MS },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', answer.reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (response.statusCode === 200) answer.resolve(text);
          else answer.reject(new Error(`${path} answered ${response.statusCode}: ${text}`));
        });
      },
    );
    outgoing.on('error', answer.reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${path} did not answer`)));
    outgoing.end(body);
    return answer.promise;
  }

  const load: Target['load'] = async (request, { tokens, expected, connections = CONNECTIONS }) => {
    const left = tokens.values();
    const waits: number[] = [];
    // The workers share one iterator: each takes the next token when its call has ended.
    const work = async (): Promise<void> => {
      for (const token of left) {
        const asked = performance.now();
        const answer = steady(await send(request, token));
        if (answer !== expected) throw new Error(`${request.path} answered otherwise: ${answer}`);
        waits.push(performance.now() - asked);
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: connections }, work));
    return { rate: tokens.length / ((performance.now() - began) / 1_000), waits };
  };

  return { send, load, close: () => agent.destroy() };
}
