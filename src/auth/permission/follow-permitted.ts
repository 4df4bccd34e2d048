import type { App, Caller } from '../../kernel/app/app.ts';
import { NotAuthenticated } from '../../kernel/errors.ts';
import { follow, type Following, type Changes } from '../../kernel/feed/follow.ts';
import { noteVersion } from './present.ts';

/** Why nothing is told any more; `LEFT`: the follower ended it. */
export type Ending = 'SESSION_ENDED' | 'RIGHTS_CHANGED' | 'SERVER_CLOSING' | 'LEFT';

type Behind<C> = {
  caller: C;
  /** Identifies the caller anew; throws NotAuthenticated. */
  again(): Promise<C>;
};

type Follower<C> = {
  tell(news: Changes): void;
  /** Whether the caller, as it is now, may still hear what it hears. */
  mayStill(caller: C): boolean;
  /** The rights were checked and are enough: what was held back may be told. */
  goOn(): void;
  ended(why: Ending): void;
};

export type PermittedFollowing = Pick<Following, 'begin' | 'beginNow'> & {
  /** False while rights are being checked and after the end, which a look after the end of the token brings about. */
  mayTell(): boolean;
  end(): void;
};

/**
 * Follows the feed of a tenant for as long as the caller may: until its token ends, it is not identified any more, or
 * its rights are not enough. While rights that have changed are being checked, nothing may be told. Throws
 * TooManyRequests.
 */
export function followPermitted<C extends Caller>(
  app: App,
  { caller, again }: Behind<C>,
  follower: Follower<C>,
): PermittedFollowing {
  const { tenantId, expiresAt = Number.POSITIVE_INFINITY } = caller;
  let { version = '' } = caller;
  let isChecking = false;
  let isOver = false;

  const following = follow(app, caller, {
    tell(news) {
      if (news.version !== version) void check(news.version);
      follower.tell(news);
    },
    end: () => end('SERVER_CLOSING'),
  });
  const cancelExpiry = app.clock.after(Math.max(0, expiresAt - app.clock.now()), () =>
    end('SESSION_ENDED'),
  );

  function end(why: Ending): void {
    if (isOver) return;
    isOver = true;
    cancelExpiry();
    following.stop();
    follower.ended(why);
  }

  async function check(present: string): Promise<void> {
    version = present;
    if (isChecking) return;
    isChecking = true;
    try {
      for (let checked = ''; checked !== version && !isOver;) {
        checked = version;
        noteVersion(app, tenantId, checked);
        if (!follower.mayStill(await again())) return end('RIGHTS_CHANGED');
      }
    } catch (error) {
      app.log.debug({ error, tenantId }, 'a follower of the feed has lost its rights');
      return end(error instanceof NotAuthenticated ? 'SESSION_ENDED' : 'RIGHTS_CHANGED');
    } finally {
      isChecking = false;
    }
    if (!isOver) follower.goOn();
  }

  return {
    begin: following.begin,
    beginNow: following.beginNow,
    mayTell() {
      if (app.clock.now() >= expiresAt) end('SESSION_ENDED');
      return !isOver && !isChecking;
    },
    end: () => end('LEFT'),
  };
}
