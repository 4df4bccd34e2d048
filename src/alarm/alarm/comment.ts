import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import { inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { lockedRow } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { exact } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';

/** What a person wrote about an alarm; `at` is ISO-8601. */
export type Comment = { at: string; by: string; text: string };

const MAX_COMMENTS = 50;
const MAX_NAMED = 200;

export const CommentAlarm = exact({
  id: Id,
  text: Text(1_000)
    .min(1)
    .meta({ examples: ['The burner is dirty'] }),
});

/** Adds a comment to an alarm and answers its id. Requires a person on an interactive login (403). */
export const comment: Operation<z.output<typeof CommentAlarm>, string> = (
  app,
  caller,
  { id: alarmId, text },
) => {
  demandPerson(caller, 'comment on an alarm');
  const { tenantId, principalId, name } = caller;
  return inTenant(app.db, tenantId, async (q) => {
    const { message } = await lockedRow(q, 'svc_entity_alarm', tenantId, alarmId);
    const before = await q
      .selectFrom('svc_alarm_comment')
      .select('id')
      .where('tenantId', '=', tenantId)
      .where('alarmId', '=', alarmId)
      .limit(MAX_COMMENTS)
      .execute();
    if (before.length >= MAX_COMMENTS)
      throw new Unprocessable(`An alarm has ${MAX_COMMENTS} comments at most`);
    const { id } = await q
      .insertInto('svc_alarm_comment')
      .values({
        tenantId,
        alarmId,
        commentText: text,
        creatorId: principalId,
        creatorName: name,
        createTime: new Date(app.clock.now()),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, {
      action: 'UPDATE',
      resourceType: 'ALARM',
      resourceId: alarmId,
      resourceName: message.slice(0, MAX_NAMED),
      detail: { comment: text },
    });
    return id;
  });
};

/** The comments of the alarm `row`, oldest first, as JSON. */
export const commentsOf = (tenantId: string, row: string): RawBuilder<Comment[]> => sql`
  coalesce((select jsonb_agg(jsonb_build_object(
      'at', to_char(c.create_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'by', c.creator_name, 'text', c.comment_text) order by c.id)
    from svc_alarm_comment c where c.tenant_id = ${tenantId} and c.alarm_id = ${sql.ref(`${row}.id`)}), '[]')`;
