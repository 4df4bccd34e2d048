import type { App, Caller } from '../app.ts';
import type { Change } from './change.ts';
import { follow } from './follow.ts';

/** A caller that looks, waits and looks again. */
export type Watch = {
  /** Waits for a change that concerns it, or one of its rights, since the look at `place` began; at most `ms`. */
  next(place: string, ms: number): Promise<void>;
  stop(): void;
};

/** Call it before the first look, so that nothing is missed between that and the wait. Throws TooManyRequests. */
export function watch(
  app: App,
  caller: Caller,
  concerns: (change: Change) => boolean,
  signal?: AbortSignal,
): Watch {
  let { version } = caller;
  let isNews = false;
  let wake = (): void => {};
  const following = follow(app, caller, (news) => {
    const isOther = version !== undefined && news.version !== version;
    version = news.version;
    if (!isOther && news.changes !== null && !news.changes.some(concerns)) return;
    isNews = true;
    wake();
  });
  return {
    async next(place, ms) {
      following.begin(place);
      if (!isNews && !signal?.aborted)
        await new Promise<void>((resolve) => {
          const cancel = app.clock.after(ms, () => wake());
          wake = () => {
            cancel();
            signal?.removeEventListener('abort', wake);
            resolve();
          };
          signal?.addEventListener('abort', wake);
        });
      isNews = false;
    },
    stop: following.stop,
  };
}
