import { sql } from 'kysely';

import { relyingOn } from '../../db/basis.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller } from '../app/app.ts';
import { CountByKey } from '../count.ts';
import { TooManyRequests } from '../errors.ts';
import { slot } from '../slot.ts';
import { type Change, FEED_KINDS, headOf, keysOf, readPage } from './change.ts';

const MAX_FOLLOWERS = 5_000;
const MAX_OF_TENANT = 2_000;
const MAX_OF_PRINCIPAL = 64;
/** Between two reads for one tenant: what is committed meanwhile is told together. */
const PACE_MS = 100;
const RETRY_MS = 1_000;
const BATCH = 500;
/** Of what a follower missed; more than that is not looked through. */
const MAX_PAGES = 4;
/** In a notice: the platform's own facts changed, which count for every tenant. */
const ALL = '0';

/** The same object for all followers of a tenant: what came after the place `from` up to `upTo`, oldest first, with the keys of all of it (null: it is not known), and the version of the rights now. */
export type Changes = {
  changes: readonly Change[] | null;
  keys: ReadonlySet<string> | null;
  from: string;
  upTo: string;
  version: string;
};

type Reader = {
  tell(news: Changes): void;
  /** The process stops. */
  end(): void;
};
type Follower = Reader & { principal: string };

/** Of one tenant: read once for all its followers in this process. */
type TenantFeed = {
  followers: Set<Follower>;
  /** Up to which its followers were told; null until the first of them has looked. */
  place: string | null;
  isReading: boolean;
  /** Something was committed since the last read began. */
  isDue: boolean;
};

export type FollowedFeeds = {
  tenants: Map<string, TenantFeed>;
  ofPrincipal: CountByKey;
  isListening: boolean;
};

const FEEDS = slot((): FollowedFeeds => ({
  tenants: new Map(),
  ofPrincipal: new CountByKey(),
  isListening: false,
}));

export type Following = {
  /** To be called with the place at which the follower looked itself; until then it may be told nothing. */
  begin(place: string): void;
  /** Looks, and begins there; answers the place. */
  beginNow(): Promise<string>;
  stop(): void;
};

/**
 * Tells what is committed in the caller's tenant from the look of the caller on, which has to come after this call;
 * and whenever its rights change. In any process, without a trip while nothing happens. Throws TooManyRequests.
 */
export function follow(
  app: App,
  { tenantId, principalId }: Pick<Caller, 'tenantId' | 'principalId'>,
  reader: Reader,
): Following {
  const feeds = app.of(FEEDS);
  const principal = `${tenantId}:${principalId}`;
  const mine = feeds.ofPrincipal.of(principal);
  const fresh = { followers: new Set<Follower>(), place: null, isReading: false, isDue: false };
  const feed: TenantFeed = feeds.tenants.get(tenantId) ?? fresh;
  const all = feeds.tenants.values().reduce((sum, { followers }) => sum + followers.size, 0);
  if (mine >= MAX_OF_PRINCIPAL || feed.followers.size >= MAX_OF_TENANT || all >= MAX_FOLLOWERS)
    throw new TooManyRequests('Too many calls wait for events already; end some of them first', 10);
  listen(app);
  const follower: Follower = { ...reader, principal };
  feeds.tenants.set(tenantId, feed);
  feeds.ofPrincipal.add(principal, 1);
  feed.followers.add(follower);
  const begin = (place: string): void => {
    feed.place ??= place;
    if (feed.isDue) void read(app, tenantId, feed);
  };
  return {
    begin,
    async beginNow() {
      const place = await inOneTrip(app.db, tenantId, (q) => headOf(q, tenantId));
      begin(place);
      return place;
    },
    stop() {
      if (!feed.followers.delete(follower)) return;
      feeds.ofPrincipal.add(principal, -1);
      if (feed.followers.size === 0) feeds.tenants.delete(tenantId);
    },
  };
}

/** The keys of what was committed after a place, and up to which; null for keys: it is not known, or too much. */
export async function keysAfter(
  app: App,
  tenantId: string,
  after: string | null,
): Promise<{ keys: ReadonlySet<string> | null; upTo: string }> {
  const keys = new Set<string>();
  let place = after;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = { after: place, kinds: FEED_KINDS, deviceId: null, limit: BATCH };
    const { changes, upTo, isGone } = await inOneTrip(app.db, tenantId, (q) =>
      readPage(q, tenantId, asked),
    );
    if (after === null || isGone) return { keys: null, upTo };
    for (const change of changes) for (const key of keysOf(change)) keys.add(key);
    if (changes.length < BATCH) return { keys, upTo };
    place = upTo;
  }
  return { keys: null, upTo: await inOneTrip(app.db, tenantId, (q) => headOf(q, tenantId)) };
}

/** Whether a caller of the tenant follows it through this process. */
export const isFollowed = (app: App, tenantId: string): boolean =>
  (app.of(FEEDS).tenants.get(tenantId)?.followers.size ?? 0) > 0;

/** Ends what waits here: the ports that close would else wait for it. */
export async function endFollowing(app: App): Promise<void> {
  for (const { followers } of app.of(FEEDS).tenants.values())
    for (const follower of followers) follower.end();
}

/** Begins to hear of commits, once in a process. */
function listen(app: App): void {
  const feeds = app.of(FEEDS);
  if (feeds.isListening) return;
  feeds.isListening = true;
  app.db.notices.subscribe((heard) => {
    for (const tenantId of heard === null || heard === ALL ? feeds.tenants.keys() : [heard]) {
      const feed = feeds.tenants.get(tenantId);
      if (feed) void read(app, tenantId, feed);
    }
  });
}

/** Never rejects; one at a time for a tenant. */
async function read(app: App, tenantId: string, feed: TenantFeed): Promise<void> {
  feed.isDue = true;
  if (feed.isReading || feed.place === null) return;
  feed.isReading = true;
  while (feed.isDue && feed.followers.size > 0) {
    feed.isDue = false;
    // Not on behalf of the call in whose turn the notice was heard.
    const ms = await relyingOn(null, () => readOnce(app, tenantId, feed)).then(
      () => PACE_MS,
      (error: unknown) => {
        app.log.warn({ error, tenantId }, 'the feed of a tenant was not read, retrying');
        feed.isDue = true;
        return RETRY_MS;
      },
    );
    await pause(app, ms);
  }
  feed.isReading = false;
}

async function readOnce(app: App, tenantId: string, feed: TenantFeed): Promise<void> {
  const asked = { after: feed.place, kinds: FEED_KINDS, deviceId: null, limit: BATCH };
  const [page, { rows }] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      readPage(q, tenantId, asked),
      sql<{ version: string }>`select svc_version(${tenantId}) as version`.execute(q),
    ]),
  );
  const from = feed.place ?? page.upTo;
  feed.place = page.upTo;
  if (page.changes.length === BATCH) feed.isDue = true;
  const changes = page.isGone ? null : page.changes;
  const keys = changes && new Set(changes.flatMap(keysOf));
  const news = { changes, keys, from, upTo: page.upTo, version: rows[0]?.version ?? '' };
  for (const follower of feed.followers) follower.tell(news);
}

const pause = (app: App, ms: number): Promise<void> =>
  new Promise((resolve) => {
    app.clock.after(ms, resolve);
  });
