import type { ServerResponse } from 'node:http';

import type { Uris } from '../../auth/connection/mcp-session.ts';
import type { App } from '../../kernel/app/app.ts';
import { openStream } from '../../kernel/request/event-stream.ts';
import { subscribe, type Subscription } from '../offer/subscription.ts';
import type { McpCall } from '../request/caller.ts';

const OPEN = ': open\n\n';
/** A place in the feed of the tenant, as the id of an event: any process goes on from it. */
const PLACE = /^n(\d{1,18})$/;

/** The stream of a session in this process. */
export type SessionStream = {
  id: string;
  /** Follows these from now on; for new ones also what changed since their places. */
  take(uris: Uris): Promise<void>;
  close(): void;
};

type Opening = {
  id: string;
  session: string;
  uris: Uris;
  /** The `Last-Event-ID` of the client; null for none. */
  last: string | null;
  /** Whether the client takes an event without data, which only gives its place. */
  takesPlace: boolean;
};

/**
 * Opens the stream of a session on a response that has not begun: `notifications/resources/updated` for what it
 * follows, from the place of `last` on. After a place that is not kept all that it follows may have changed. It ends
 * with the token. Throws before the response has begun.
 */
export async function openSessionStream(
  app: App,
  call: McpCall,
  { id, session, uris, last, takesPlace }: Opening,
  { response, closed }: { response: ServerResponse; closed(): void },
): Promise<SessionStream> {
  const own: { subscription: Subscription | null } = { subscription: null };
  const stream = openStream(app.clock, response, {
    room: () => own.subscription?.flush(),
    closed() {
      cancelExpiry();
      own.subscription?.end();
      closed();
    },
  });
  const close = (): void => stream.end('');
  const { expiresAt } = call.caller;
  const cancelExpiry = app.clock.after(Math.max(0, expiresAt - app.clock.now()), close);

  async function take(given: Uris, after?: string | null): Promise<void> {
    const wanted = Object.keys(given);
    if (own.subscription === null && wanted.length === 0) return;
    const taking = (own.subscription ??= subscribe(app, call, {
      updated: (changed, place) => stream.write(changed.map((uri) => framed(uri, place)).join('')),
      ended: close,
    }));
    const known = new Set(taking.uris());
    const places = wanted.filter((uri) => !known.has(uri)).map((uri) => BigInt(given[uri] ?? 0));
    const first = places.reduce<bigint | null>((a, b) => (a === null || b < a ? b : a), null);
    const since = after === undefined ? first : after;
    await call.present((caller) =>
      taking.take(caller, wanted, since === null ? null : String(since)),
    );
    taking.flush();
  }

  try {
    await take(uris, last === null ? undefined : (PLACE.exec(last)?.[1] ?? null));
  } catch (error) {
    cancelExpiry();
    own.subscription?.end();
    throw error;
  }
  response.setHeader('mcp-session-id', session);
  stream.begin();
  const at = own.subscription?.place() ?? '';
  stream.write(takesPlace ? `id: n${at}\ndata: \n\n` : OPEN);
  own.subscription?.flush();
  return { id, take: (given) => take(given), close };
}

const framed = (uri: string, place: string): string => {
  const message = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } };
  return `event: message\nid: n${place}\ndata: ${JSON.stringify(message)}\n\n`;
};
