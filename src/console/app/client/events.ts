import { createParser } from 'eventsource-parser';

import { proven } from './call.ts';
import { Refused, Unreachable } from './failure.ts';

type Asked = { method?: 'POST'; body?: string; headers?: Record<string, string> };
type Event = { name: string | undefined; data: string; id: string | null };

/** Without a sign of life for so long a stream is taken for lost; the server sends one every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Reads a stream of server-sent events until it ends. Throws Refused, Unreachable, and AbortError when `signal` ended
 * it.
 */
export async function readEvents(
  url: string,
  { headers, ...request }: Asked,
  heard: (event: Event) => void,
  signal: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  let timer = setTimeout(() => lost.abort(), SILENCE_MS);
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => lost.abort(), SILENCE_MS);
  };
  try {
    const response = await fetch(url, {
      ...request,
      headers: { accept: 'text/event-stream', ...headers, ...proven() },
      signal: AbortSignal.any([signal, lost.signal]),
    });
    if (!response.ok || !response.body) throw await refusalOf(response);
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent: ({ event: name, data, id }) => heard({ name, data, id: id ?? null }),
    });
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    if (error instanceof Refused || signal.aborted) throw error;
    throw new Unreachable();
  } finally {
    clearTimeout(timer);
  }
}

/** What the server says in its own envelope, or in the shape of OpenAI. */
async function refusalOf(response: Response): Promise<Refused> {
  const body: unknown = await response.json().catch(() => null);
  const said = saidIn(body) ?? saidIn(memberOf(body, 'error')) ?? response.statusText;
  return new Refused(response.status, `R${response.status}`, said, null);
}

function saidIn(body: unknown): string | null {
  const message = memberOf(body, 'message');
  return typeof message === 'string' && message !== '' ? message : null;
}

const memberOf = (body: unknown, name: string): unknown =>
  typeof body === 'object' && body !== null
    ? Object.entries(body).find(([key]) => key === name)?.[1]
    : null;
