import { followPermitted } from '../../auth/permission/follow-permitted.ts';
import type { App } from '../../kernel/app/app.ts';
import type { McpCall, McpCaller } from '../request/caller.ts';
import { keysFor } from './followed.ts';

export const MAX_URIS = 100;
/** Between two notices of one URI; what changes meanwhile is one more. */
const EACH_MS = 1_000;

/** What gets the notices: a stream, or a session. */
export type Listener = {
  /** False: it takes no more now, and flushes when it does again. */
  updated(uris: readonly string[]): boolean;
  /** Nothing comes any more: token or rights have ended, or the process stops. */
  ended(): void;
};

/** URIs of one caller, each authorized as its `resources/read`. */
export type Subscription = {
  /** Takes these in place of those before; answers the ones that the caller may read and that changes alter. */
  take(caller: McpCaller, uris: readonly string[]): Promise<string[]>;
  uris(): string[];
  /** Tells what waits. */
  flush(): void;
  end(): void;
};

type Followed = { keys: readonly string[]; toldMs: number };

/** Throws TooManyRequests. It ends with the token, and with the right to read one of its URIs. */
export function subscribe(app: App, call: McpCall, listener: Listener): Subscription {
  let followed = new Map<string, Followed>();
  const due = new Set<string>();
  let cancelFlush = (): void => {};

  const following = followPermitted(app, call, {
    tell(news) {
      for (const [uri, { keys }] of followed)
        if (news.keys === null || keys.some((key) => news.keys?.has(key))) due.add(uri);
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
    const waitMs = (uri: string) => (followed.get(uri)?.toldMs ?? now) + EACH_MS - now;
    const ready = [...due].filter((uri) => waitMs(uri) <= 0);
    // Before it is told: a listener with room asks for more at once.
    for (const uri of ready) due.delete(uri);
    if (ready.length > 0 && !listener.updated(ready)) {
      for (const uri of ready) due.add(uri);
      return;
    }
    for (const uri of ready) {
      const one = followed.get(uri);
      if (one) one.toldMs = now;
    }
    if (due.size > 0) cancelFlush = app.clock.after(Math.min(...[...due].map(waitMs)), flush);
  }

  return {
    async take(caller, uris) {
      const toldMs = app.clock.elapsed() - EACH_MS;
      followed = new Map(
        uris.flatMap((uri) => {
          const keys = keysFor(app, caller, uri);
          return keys ? [[uri, followed.get(uri) ?? { keys, toldMs }] as const] : [];
        }),
      );
      for (const uri of due) if (!followed.has(uri)) due.delete(uri);
      await following.beginNow();
      return [...followed.keys()];
    },
    uris: () => [...followed.keys()],
    flush,
    end: following.end,
  };
}
