import type { Agent, IncomingMessage } from 'coap';

import type { Clock } from '../../src/kernel/clock.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/** One exchange with the server: the response, or null when none came in time. */
export type Exchange = (
  method: 'POST' | 'DELETE',
  pathname: string,
  query?: readonly string[],
  payload?: string,
  contentFormat?: number,
) => Promise<IncomingMessage | null>;

export function createExchange(
  agent: Agent,
  server: { host: string; port: number },
  clock: Clock,
): Exchange {
  return (method, pathname, query = [], payload, contentFormat) => {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage | null>();
    const request = agent.request({ ...server, method, pathname });
    // As bytes: an endpoint name may hold characters with a meaning in a URL.
    request.setOption(
      'Uri-Query',
      query.map((item) => Buffer.from(item)),
    );
    if (contentFormat !== undefined) request.setOption('Content-Format', contentFormat);
    request.on('response', resolve);
    request.on('error', () => resolve(null));
    const cancel = clock.after(REQUEST_TIMEOUT_MS, () => {
      // Otherwise the agent would repeat the request for minutes, on a socket that may be closed by then.
      agent.abort(request);
      resolve(null);
    });
    request.end(payload);
    return promise.finally(cancel);
  };
}
