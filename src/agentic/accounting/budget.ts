import { sql } from 'kysely';
import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { touched } from '../../db/stamp.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { answer, AnswerId, Time } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';

const MAX_BUDGETS = 100;
const MAX_USES = 20;

const Kind = z.enum(['tenant', 'person', 'key', 'end_user']);
const Unit = z.enum(['tokens', 'cost']);
const Period = z.enum(['hour', 'day', 'month']);
const Amount = z
  .string()
  .regex(/^\d{1,11}(\.\d{1,6})?$/, 'must be a decimal with at most 6 places')
  .refine((amount) => Number(amount) > 0, 'must be above 0')
  .meta({ examples: ['200000'] });

const Used = z.object({
  subject: z.string(),
  used: z.string().meta({ examples: ['1842'] }),
  reserved: z
    .string()
    .describe('Held back for turns under way')
    .meta({ examples: ['0'] }),
});

/** What the chat may use in a period of the calendar, in the tenant's time zone. */
export const ChatBudget = answer('ChatBudget', {
  id: AnswerId,
  kind: Kind,
  subject: z
    .string()
    .describe(
      "Empty: each one of the kind by itself. Else the principal's id, the prefix of a key, or both key and end user with a blank between",
    ),
  unit: Unit,
  currency: z.string(),
  period: Period,
  amount: Amount,
  uses: z.array(Used).describe('Of the present period, the most first'),
  operatorName: z.string().meta({ examples: ['admin'] }),
  operateTime: Time,
});
type ChatBudget = z.output<typeof ChatBudget.schema>;

export const AddBudget = input({
  kind: Kind,
  subject: Text(200).trim().default(''),
  unit: Unit,
  currency: Text(8).trim().default(''),
  period: Period,
  amount: Amount,
})
  .refine(({ unit, currency }) => (unit === 'cost') === (currency !== ''), {
    message: 'is given for a budget in money, and for no other',
    path: ['currency'],
  })
  .refine(({ kind, subject }) => kind !== 'tenant' || subject === '', {
    message: 'is empty for the tenant',
    path: ['subject'],
  });

export const ListBudgets = input({});

/** Without the zeros that the column has behind the point. */
const plain = (amount: string): string =>
  amount.includes('.') ? amount.replace(/0+$/, '').replace(/\.$/, '') : amount;

/** The budgets of the tenant, and of each what is used in the present period. */
export const list: Operation<z.output<typeof ListBudgets>, ChatBudget[]> = (
  app,
  { tenantId, timezone = 'UTC' },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { rows } = await sql<
      Omit<ChatBudget, 'operateTime'> & { operateTime: Date }
    >`select b.*, b.amount::text as amount, coalesce((
        select jsonb_agg(jsonb_build_object('subject', u.subject, 'used', u.used::text, 'reserved', greatest(0,
          u.reserved - (select coalesce(sum(h.amount), 0) from svc_chat_budget_hold h
            where h.tenant_id = u.tenant_id and h.budget_id = u.budget_id and h.subject = u.subject
              and h.begins = u.begins and h.expire_time <= ${new Date(app.clock.now())}::timestamptz))::text)
          order by u.used desc)
        from (select * from svc_chat_budget_use u where u.tenant_id = b.tenant_id and u.budget_id = b.id
          and u.begins = date_trunc(b.period, ${new Date(app.clock.now())}::timestamptz, ${timezone}::text)
          order by u.used desc limit ${MAX_USES}) u), '[]') as uses
      from svc_chat_budget b where b.tenant_id = ${tenantId} order by b.id limit ${MAX_BUDGETS}`.execute(
      q,
    );
    return rows.map((row) =>
      ChatBudget.of({
        ...row,
        amount: plain(row.amount),
        uses: row.uses.map(({ subject, used, reserved }) => ({
          subject,
          used: plain(used),
          reserved: plain(reserved),
        })),
      }),
    );
  });

/** Sets a budget, in place of one for the same subject, unit and period; answers its id. */
export const add: Operation<z.output<typeof AddBudget>, string> = (app, caller, given) =>
  inTenant(app.db, caller.tenantId, async (q) => {
    const { tenantId } = caller;
    await sql`select pg_advisory_xact_lock(hashtextextended(${`chat budgets ${tenantId}`}, 0))`.execute(
      q,
    );
    const { count } = await q
      .selectFrom('svc_chat_budget')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('tenantId', '=', tenantId)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_BUDGETS)
      throw new Unprocessable(`There are ${MAX_BUDGETS} already, the limit`);
    const by = touched(app, caller);
    const { id } = await q
      .insertInto('svc_chat_budget')
      .values({ ...given, tenantId, ...by })
      .onConflict((conflict) =>
        conflict
          .columns(['tenantId', 'kind', 'subject', 'unit', 'currency', 'period'])
          .doUpdateSet({ amount: given.amount, ...by }),
      )
      .returning('id')
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, { ...entry('UPDATE', id), detail: given });
    return id;
  });

const entry = (action: 'UPDATE' | 'DELETE', id: string) => ({
  action,
  resourceType: 'CHAT_BUDGET',
  resourceId: id,
  resourceName: 'budget of the chat',
});

export const remove: Operation<ById, true> = (app, caller, { id }) =>
  inTenant(app.db, caller.tenantId, async (q): Promise<true> => {
    const { tenantId } = caller;
    await rowOf(q, 'svc_chat_budget', tenantId, id);
    await q
      .deleteFrom('svc_chat_budget')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    await audit(app, q, caller, entry('DELETE', id));
    return true;
  });
