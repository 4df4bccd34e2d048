import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';

export const FEED_KINDS = ['alarm', 'action', 'command', 'device'] as const;
export type FeedKind = (typeof FEED_KINDS)[number];

/** Something that happened in a tenant. */
export type Change = {
  /** Its place in the order of the tenant. */
  place: string;
  kind: FeedKind;
  what: string;
  /** Id of the alarm, action, command or device. */
  ref: string;
  /** '0' where none is concerned. */
  deviceId: string;
  /** Of a command: the action it belongs to. */
  actionId: string | null;
  occurTime: Date;
};

/** What a change is about, for those that follow single things: its kind, and its id; of a command its action too. */
export const keysOf = ({ kind, ref, actionId }: Change): string[] => [
  kind,
  `${kind}:${ref}`,
  ...(kind === 'command' && actionId !== null ? [`action:${actionId}`] : []),
];

/** What a reader keeps: the place up to which it has read, as an opaque text. */
export const Cursor = z
  .string()
  .regex(/^f\d{1,18}$/, 'must be the nextCursor of an earlier answer')
  .transform((text) => text.slice(1));
export const cursorAt = (place: string): string => `f${place}`;

export type Asked = {
  /** A place; null: only what comes after now. */
  after: string | null;
  kinds: readonly FeedKind[];
  deviceId: string | null;
  limit: number;
};

export type Page = {
  /** Oldest first. */
  changes: Change[];
  /** The place up to which everything that was asked for is in `changes`. */
  upTo: string;
  /** What came after the place is not whole any more, or the place was never given here. */
  isGone: boolean;
};

/** The rows of a page, for queries that join what they are about. */
export const changesAfter = (
  tenantId: string,
  { after, kinds, deviceId, limit }: Asked,
): RawBuilder<unknown> => sql`
  select place, kind, what, ref, device_id, action_id, occur_time from svc_feed
  where tenant_id = ${tenantId} and place > ${after ?? String(2n ** 62n)}::bigint
    and kind = any(${[...kinds]}) and (${deviceId}::bigint is null or device_id = ${deviceId}::bigint
      or case kind when 'action' then exists (select from svc_action_step s where s.tenant_id = ${tenantId}
        and s.action_id = ref::uuid and s.device_id = ${deviceId}::bigint) end)
  order by place limit ${limit}`;

type Head = { head: string; dropped: string };
type Row = Head & { [Column in keyof Change]: Change[Column] | null };

/** What is committed after a place; every row once, whatever commits meanwhile. */
export async function readPage(q: Queries, tenantId: string, asked: Asked): Promise<Page> {
  const [, { rows }] = await Promise.all([
    sql`select svc_order_feed(${tenantId})`.execute(q),
    // One statement, so one moment: what was dropped is never taken for nothing.
    sql<Row>`
      select h.head, h.dropped, f.* from (
        select coalesce(max(place), 0) as head, coalesce(max(dropped), 0) as dropped
        from svc_feed_head where tenant_id = ${tenantId}) h
      left join lateral (${changesAfter(tenantId, asked)}) f on true order by f.place`.execute(q),
  ]);
  const head = rows[0]?.head ?? '0';
  const changes = rows.filter(isChange);
  const isFull = changes.length === asked.limit;
  const after = BigInt(asked.after ?? head);
  return {
    changes,
    upTo: isFull ? (changes.at(-1)?.place ?? head) : head,
    isGone: after < BigInt(rows[0]?.dropped ?? 0) || after > BigInt(head),
  };
}

/** The last place given: what is committed from now on comes after it. */
export const headOf = async (q: Queries, tenantId: string): Promise<string> =>
  (await readPage(q, tenantId, { after: null, kinds: [], deviceId: null, limit: 1 })).upTo;

const isChange = (row: Row): row is Head & Change => row.place !== null;
