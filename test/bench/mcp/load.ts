import { Agent, request as open } from 'node:http';
import { performance } from 'node:perf_hooks';

import type { Request } from './request.ts';

const CONNECTIONS = 16;
const TIMEOUT_MS = 30_000;

/** One server seen from outside: `post` one request, or `load` it. */
export type Target = {
  post(request: Request): Promise<string>;
  /**
   * Sends `count` equal requests over 16 kept connections, one in flight on each; calls per second.
   * Throws at the first answer that is not the `expected` one: a fast refusal is no result.
   */
  load(request: Request, expected: string, count: number): Promise<number>;
  close(): void;
};

export function target(url: string, token: string | null): Target {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };

  function post({ headers, body }: Request): Promise<string> {
    const answer = Promise.withResolvers<string>();
    const outgoing = open(
      url,
      { method: 'POST', agent, headers: { ...headers, ...authorization }, timeout: TIMEOUT_MS },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', answer.reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          if (response.statusCode === 200) answer.resolve(text);
          else answer.reject(new Error(`${url} answered ${response.statusCode}: ${text}`));
        });
      },
    );
    outgoing.on('error', answer.reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${url} did not answer`)));
    outgoing.end(body);
    return answer.promise;
  }

  async function load(request: Request, expected: string, count: number): Promise<number> {
    let left = count;
    const work = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const answer = await post(request);
        if (answer !== expected) throw new Error(`${url} answered otherwise: ${answer}`);
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
    return count / ((performance.now() - began) / 1000);
  }

  return { post, load, close: () => agent.destroy() };
}
