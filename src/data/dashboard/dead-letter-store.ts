import { sql } from 'kysely';
import { z } from 'zod';

import { type DeadLetterStore, MAX_DEAD } from '../../bus/dead-letter.ts';
import { topicNames } from '../../bus/topic/topic-names.ts';
import { totalOf } from '../../db/query-page.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { Id } from '../../kernel/input/id.ts';

const Topic = z.enum(topicNames());

/** Stores the dead letters of the in-process bus in the database, so that they survive a restart. */
export function createDeadLetterStore({ db }: Pick<App, 'db'>): DeadLetterStore {
  return {
    add: ({ at, payload, ...letter }) =>
      acrossTenants(db, 'dead-letter', async (q) => {
        await q
          .insertInto('svc_dead_letter')
          .values({ ...letter, payload: JSON.stringify(payload), createTime: at })
          .execute();
        const { numAffectedRows } = await sql`
          delete from svc_dead_letter where id <=
            (select id from svc_dead_letter order by id desc offset ${MAX_DEAD} limit 1)`.execute(
          q,
        );
        return Number(numAffectedRows ?? 0);
      }),

    list: (limit) =>
      acrossTenants(db, 'dead-letter', async (q) => {
        const all = q.selectFrom('svc_dead_letter');
        const [total, rows] = await Promise.all([
          totalOf(all),
          all.selectAll().orderBy('id').limit(limit).execute(),
        ]);
        return { total, letters: rows.map(letterOf) };
      }),

    next: (which, after) =>
      acrossTenants(db, 'dead-letter', async (q) => {
        const newer = q
          .selectFrom('svc_dead_letter')
          .selectAll()
          .where('id', '>', after)
          .orderBy('id')
          .limit(1);
        const found = which === 'all' ? newer : newer.where('id', 'in', known(which));
        const row = await found.executeTakeFirst();
        return row ? letterOf(row) : null;
      }),

    remove: (which) =>
      acrossTenants(db, 'dead-letter', async (q) => {
        const all = q.deleteFrom('svc_dead_letter');
        const some = which === 'all' ? all : all.where('id', 'in', known(which));
        const { numDeletedRows } = await some.executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

/** Drops invalid ids; the extra '0' avoids an empty `in ()` list. */
const known = (ids: readonly string[]): string[] => [
  '0',
  ...ids.filter((id) => Id.safeParse(id).success),
];

type Row = { createTime: Date; topic: string; payload: string };

const letterOf = <R extends Row>({ createTime: at, topic, payload, ...row }: R) => ({
  ...row,
  at,
  topic: Topic.parse(topic),
  payload: asJson(payload),
});

const asJson = (text: string): unknown => JSON.parse(text);
