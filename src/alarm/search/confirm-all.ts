import { sql } from 'kysely';
import { z } from 'zod';

import { demandPerson } from '../../auth/rights/person.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { byNumber, Id } from '../../kernel/input/id.ts';
import { exact } from '../../kernel/input/input.ts';
import { tellingDrivers } from '../alarm/acknowledged.ts';
import { ConfirmNote, decide } from '../alarm/alert.ts';
import { ConfirmFlag } from '../kind/alarm.ts';
import { explainedIds } from './explained.ts';
import { unconfirmedIds } from './found-rows.ts';
import { narrowing } from './listed.ts';
import { isSamePlace } from './matching.ts';

const MAX = 500;

const chosen = {
  ids: z
    .array(Id)
    .min(1)
    .max(MAX)
    .describe('These alarms, with the earlier ones of each rule at its place')
    .optional(),
  all: z.literal(true).describe('All alarms there are').optional(),
  ...narrowing,
};
export const ToConfirm = exact(chosen);
type Chosen = z.output<typeof ToConfirm>;

export const ConfirmAll = exact({
  ...chosen,
  causeId: Id.describe('An outage, with all that it explains').optional(),
  upTo: Id.describe('Of the count: what was raised later was not seen').optional(),
  note: ConfirmNote.optional(),
});

/** Nothing is confirmed by an empty body, and nothing by a filter beside other ways to say which. */
function demandOne({ ids, ...search }: Chosen, causeId?: string): void {
  const isSearch = Object.values(search).some((value) => value !== undefined);
  if ([ids !== undefined, causeId !== undefined, isSearch].filter(Boolean).length !== 1)
    throw new BadRequest('give one of ids, all and causeId, or what all of them are narrowed by');
}

export const ToConfirmAnswer = z
  .object({
    alarms: z.number().int().describe('How many unconfirmed ones there are, counted up to 500'),
    more: z.boolean(),
    upTo: AnswerId.nullable().describe('The newest alarm of all; null where none was found'),
  })
  .meta({ id: 'ToConfirm' });

export const ConfirmedAll = z
  .object({
    confirmed: z.number().int(),
    notConfirmed: z.array(
      z.object({
        alarmId: AnswerId,
        why: z.enum(['NOT_FOUND', 'CONFIRMED_BEFORE']),
      }),
    ),
    more: z.boolean().describe('true: a further call confirms the next 500'),
  })
  .meta({ id: 'ConfirmedAll' });

/** How many unconfirmed alarms a call of `confirmAll` finds now. */
export const toConfirm: Operation<
  z.output<typeof ToConfirm>,
  z.output<typeof ToConfirmAnswer>
> = async (app, { tenantId }, given) => {
  demandOne(given);
  return inOneTrip(app.db, tenantId, async (q) => {
    const [found, newest] = await Promise.all([
      choose(q, tenantId, given),
      q
        .selectFrom('svc_entity_alarm')
        .select('id')
        .where('tenantId', '=', tenantId)
        .orderBy('createTime', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    ]);
    const alarms = Math.min(found.length, MAX);
    const upTo = alarms === 0 ? null : (newest?.id ?? null);
    return { alarms, more: found.length > MAX, upTo };
  });
};

/**
 * Confirms alarms that are named, that a search finds, or that one cause explains, each with its entry in the audit; at
 * most 500 a call. Requires a person on an interactive login (403).
 */
export const confirmAll: Operation<
  z.output<typeof ConfirmAll>,
  z.output<typeof ConfirmedAll>
> = async (app, caller, { upTo, note, causeId, ...given }) => {
  demandPerson(caller, 'confirm alarms');
  demandOne(given, causeId);
  const { tenantId } = caller;
  return tellingDrivers(app, tenantId, async (q, deviceIds) => {
    const named = causeId === undefined ? (given.ids ?? []) : [causeId];
    const found =
      causeId === undefined
        ? await choose(q, tenantId, given, upTo)
        : await explainedIds(q, { tenantId, causeId, limit: MAX + 1 });
    const all = [...new Set([...named, ...found])];
    const decision = { confirm: true, caller, deviceIds };
    const more = all.length > MAX;
    const answer: z.output<typeof ConfirmedAll> = { confirmed: 0, notConfirmed: [], more };
    for (const id of all.slice(0, MAX).toSorted(byNumber)) {
      const outcome = await decide(app, q, { id, note }, decision);
      if (outcome === 'DONE') answer.confirmed += 1;
      else {
        const why = outcome === 'SAME' ? 'CONFIRMED_BEFORE' : outcome;
        answer.notConfirmed.push({ alarmId: id, why });
      }
    }
    return answer;
  });
};

const choose = (
  q: Queries,
  tenantId: string,
  { ids, all: _all, ...search }: Chosen,
  upTo?: string,
): Promise<string[]> =>
  ids === undefined
    ? unconfirmedIds(q, { tenantId, search, upTo, limit: MAX + 1 })
    : withEarlier(q, tenantId, ids);

/** The unconfirmed ones of some alarms, and those before them of the same rule at the same place. */
async function withEarlier(
  q: Queries,
  tenantId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct a.id from svc_entity_alarm o
    join svc_entity_alarm a on ${isSamePlace('a', 'o')} and a.urgency > 0
      and a.confirm_flag = ${ConfirmFlag.UNCONFIRMED} and a.id <= o.id
    where o.tenant_id = ${tenantId} and o.id in (${sql.join(ids)})
    order by a.id limit ${MAX + 1}`.execute(q);
  return rows.map(({ id }) => id);
}
