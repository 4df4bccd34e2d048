import { sql } from 'kysely';
import { z } from 'zod';

import type { App } from '../app.ts';
import { type DeadLetterStore, MAX_DEAD } from '../bus/dead-letter.ts';
import { topicNames } from '../bus/topic-names.ts';
import { acrossTenants } from '../db/tenant.ts';

const Topic = z.enum(topicNames());

/** The dead letters of the in-process bus, in the database: they outlive its process. */
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
        const { total } = await q
          .selectFrom('svc_dead_letter')
          .select((eb) => eb.fn.countAll<string>().as('total'))
          .executeTakeFirstOrThrow();
        const rows = await q
          .selectFrom('svc_dead_letter')
          .selectAll()
          .orderBy('id')
          .limit(limit)
          .execute();
        const letters = rows.map(({ createTime: at, topic, payload, ...row }) => ({
          ...row,
          at,
          topic: Topic.parse(topic),
          payload: asJson(payload),
        }));
        return { total: Number(total), letters };
      }),

    remove: (ids) =>
      acrossTenants(db, 'dead-letter', async (q) => {
        if (ids.length === 0) return 0;
        const { numDeletedRows } = await q
          .deleteFrom('svc_dead_letter')
          .where('id', 'in', [...ids])
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

const asJson = (text: string): unknown => JSON.parse(text);
