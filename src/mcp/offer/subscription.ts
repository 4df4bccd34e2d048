import { followPermitted } from '../../auth/permission/follow-permitted.ts';
import type { App } from '../../kernel/app/app.ts';
import { keysAfter } from '../../kernel/feed/follow.ts';
import type { McpCall, McpCaller } from '../request/caller.ts';
import { keysFor } from './followed.ts';

export const MAX_URIS = 100;
/** Between two notices of one URI; what changes meanwhile is one more. */
const EACH_MS = 1_000;

/** What gets the notices: a stream, or a session. */
export type Listener = {
  /**
   * What came up to `place` of the tenant's feed was sent with these. False: it takes no more now, and flushes when it
   * does again.
   */
  updated(uris: readonly string[], place: string): boolean;
  /** Nothing comes any more: token or rights have ended, or the process stops. */
  ended(): void;
};

/** URIs of one caller, each authorized as its `resources/read`. */
export type Subscription = {
  /**
   * Takes these in place of those before; answers the ones that the caller may read and that changes alter. Those that
   * are new count from now on, or as of a place of the feed; null: they may have changed.
   */
  take(caller: McpCaller, uris: readonly string[], after?: string | null): Promise<string[]>;
  uris(): string[];
  /** The place of the feed up to which all was sent. */
  place(): string;
  /** Tells what waits. */
  flush(): void;
  end(): void;
};

type Followed = { keys: readonly string[]; sentMs: number };

/** Throws TooManyRequests. It ends with the token, and with the right to read one of its URIs. */
export function subscribe(app: App, call: McpCall, listener: Listener): Subscription {
  let followed = new Map<string, Followed>();
  /** By URI, the place after which it changed. */
  const due = new Map<string, string>();
  /** Of those followed, the ones of which it is known what they missed. */
  const looked = new Set<string>();
  let reached = '0';
  let cancelFlush = (): void => {};

  const following = followPermitted(app, call, {
    tell(news) {
      for (const [uri, { keys }] of followed)
        if (news.keys === null || keys.some((key) => news.keys?.has(key)))
          due.set(uri, due.get(uri) ?? news.from);
      reached = later(reached, news.upTo);
      flush();
    },
    mayStill: (caller) => followed.keys().every((uri) => keysFor(app, caller, uri) !== null),
    goOn: flush,
    ended() {
      cancelFlush();
      listener.ended();
    },
  });

  function flush(): void {
    cancelFlush();
    if (due.size === 0 || !following.mayTell()) return;
    const now = app.clock.elapsed();
    const waitMs = (uri: string) => (followed.get(uri)?.sentMs ?? now) + EACH_MS - now;
    const ready = [...due].filter(([uri]) => waitMs(uri) <= 0);
    // Before they are sent: a listener with room asks for more at once.
    for (const [uri] of ready) due.delete(uri);
    const sent = ready.map(([uri]) => uri);
    if (ready.length > 0 && !listener.updated(sent, place())) {
      for (const [uri, from] of ready) due.set(uri, from);
      return;
    }
    for (const uri of sent) {
      const one = followed.get(uri);
      if (one) one.sentMs = now;
    }
    if (due.size > 0)
      cancelFlush = app.clock.after(Math.min(...[...due.keys()].map(waitMs)), flush);
  }

  const place = (): string =>
    due.values().reduce((first, from) => (later(first, from) === first ? from : first), reached);

  /** Marks the new ones that changed after a place. */
  async function lookBack(tenantId: string, after: string | null): Promise<void> {
    const { keys, upTo } = await keysAfter(app, tenantId, after);
    following.begin(upTo);
    reached = later(reached, upTo);
    for (const [uri, one] of followed)
      if (!looked.has(uri) && (keys === null || one.keys.some((key) => keys.has(key))))
        due.set(uri, after ?? '0');
  }

  return {
    async take(caller, uris, after) {
      const sentMs = app.clock.elapsed() - EACH_MS;
      followed = new Map(
        uris.flatMap((uri) => {
          const keys = keysFor(app, caller, uri);
          return keys ? [[uri, followed.get(uri) ?? { keys, sentMs }] as const] : [];
        }),
      );
      for (const uri of due.keys()) if (!followed.has(uri)) due.delete(uri);
      for (const uri of looked) if (!followed.has(uri)) looked.delete(uri);
      if (after === undefined) reached = later(reached, await following.beginNow());
      else if (followed.size > looked.size) await lookBack(caller.tenantId, after);
      for (const uri of followed.keys()) looked.add(uri);
      return [...followed.keys()];
    },
    uris: () => [...followed.keys()],
    place,
    flush,
    end: following.end,
  };
}

const later = (one: string, other: string): string => (BigInt(other) > BigInt(one) ? other : one);
