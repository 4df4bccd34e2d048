import type { App, Caller } from '../app/app.ts';
import type { Change } from './change.ts';
import { follow } from './follow.ts';

/** A caller that looks, waits and looks again. */
export type Watch = {
  /** Waits for a change that concerns it, or one of its rights, since the look at `place` began; at most `ms`. */
  next(place: string, ms: number): Promise<void>;
  /** Whether the caller has gone, or the process stops. */
  isOver(): boolean;
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
  let isEnded = false;
  let wake = (): void => {};
  const isOver = (): boolean => isEnded || signal?.aborted === true;
  const following = follow(app, caller, {
    tell(news) {
      const isOther = version !== undefined && news.version !== version;
      version = news.version;
      if (!isOther && news.changes !== null && !news.changes.some(concerns)) return;
      isNews = true;
      wake();
    },
    end() {
      isEnded = true;
      wake();
    },
  });
  return {
    async next(place, ms) {
      following.begin(place);
      if (!isNews && !isOver())
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
    isOver,
    stop: following.stop,
  };
}
