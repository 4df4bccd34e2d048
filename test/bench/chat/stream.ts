import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';

const TIMEOUT_MS = 60_000;
const TOKEN = ' token';
const END = 'data: [DONE]';

/** One turn of a chat: what is said, and for the platform the caller and its conversation. */
export type Turn = { messages: readonly Said[]; token?: string; conversationId?: string };
export type Said = { role: 'user' | 'assistant'; content: string };

/** How the vendor answers a question. */
export const question = (chunks: number, gapMs: number): Said => ({
  role: 'user',
  content: `Answer with ${chunks} chunks, ${gapMs} ms apart.`,
});

/** Milliseconds from the request to the first content of the answer; `ended` resolves when all of it has come. */
export type Stream = { firstMs: Promise<number>; ended: Promise<void> };

/** Streams turns of one endpoint over kept connections. An answer without end, or with an error, rejects. */
export function chatClient(url: string) {
  const agent = new Agent({ keepAlive: true, scheduling: 'fifo', maxFreeSockets: 2_000 });

  function open({ messages, token, conversationId }: Turn): Stream {
    const first = Promise.withResolvers<number>();
    const end = Promise.withResolvers<void>();
    const fail = (error: Error): void => {
      first.reject(error);
      end.reject(error);
    };
    const body = JSON.stringify({
      model: 'bench',
      messages,
      stream: true,
      ...(conversationId !== undefined && { conversationId }),
    });
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const asked = performance.now();
    const outgoing = request(url, { method: 'POST', agent, headers, timeout: TIMEOUT_MS });
    outgoing.on('error', fail);
    outgoing.on('timeout', () => outgoing.destroy(new Error('the answer stopped')));
    outgoing.on('response', (response) => {
      let tail = '';
      let hasContent = false;
      response.setEncoding('latin1');
      response.on('data', (part: string) => {
        if (!hasContent && part.includes(TOKEN)) {
          hasContent = true;
          first.resolve(performance.now() - asked);
        }
        tail = `${tail}${part}`.slice(-400);
      });
      response.on('error', fail);
      response.on('end', () => {
        if (hasContent && tail.includes(END) && !tail.includes('"error"')) end.resolve();
        else fail(new Error(`answered ${response.statusCode}: ${tail}`));
      });
    });
    outgoing.end(body);
    // Both reject together: a caller that waits for one of them must not leave the other unheard.
    first.promise.catch(() => {});
    end.promise.catch(() => {});
    return { firstMs: first.promise, ended: end.promise };
  }

  return { open, close: () => agent.destroy() };
}
