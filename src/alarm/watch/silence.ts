import type { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { demandPerson } from '../../auth/rights/person.ts';
import type { Queries } from '../../db/connect.ts';
import { inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { BadRequest, Conflict, NotFound } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { Text } from '../../kernel/input/text.ts';
import { announceNotifications, combined } from '../ledger/notify.ts';
import { writingOf } from '../message/alarm-link.ts';
import { attendPlace, catchUp } from './silence-catch-up.ts';

const DAY_MS = 86_400_000;
const MAX_MS = 7 * DAY_MS;
const MAX_NAMED = 200;

export const SilenceAlarm = input({
  id: Id.describe('An alarm; its rule at its place is silenced, or its outage'),
  until: Moment.describe('At most 7 days from now'),
  reason: Text(200).default(''),
});
export const UnsilenceAlarm = input({ id: Id });

/**
 * Holds back the notifications of the rule of an alarm at its place until a time, of later episodes too: alarms go on,
 * people are not notified. A later call replaces the former. Requires a person on an interactive login (403); throws
 * BadRequest for a time that is past or too far, NotFound, and Conflict for an alarm that no rule watches any more.
 */
export const silence: Operation<z.output<typeof SilenceAlarm>, true> = async (
  app,
  caller,
  { id, until, reason },
) => {
  demandPerson(caller, 'silence an alarm');
  const now = app.clock.now();
  if (until <= now) throw new BadRequest('until has to be in the future');
  if (until > now + MAX_MS) throw new BadRequest('until may be 7 days from now at most');
  await inTenant(app.db, caller.tenantId, (q) => silenceIn(app, q, caller, { id, until, reason }));
  return true;
};

/** Silences the rule of an alarm at its place, in a transaction of more; throws NotFound, Conflict. */
export async function silenceIn(
  app: App,
  q: Queries,
  caller: Caller,
  { id, until, reason }: z.output<typeof SilenceAlarm>,
): Promise<void> {
  const { stateId, message } = await watched(q, caller.tenantId, id);
  await q
    .updateTable('svc_rule_state')
    .set({ silencedUntil: new Date(until), silencedBy: caller.name, silenceReason: reason })
    .where('tenantId', '=', caller.tenantId)
    .where('id', '=', stateId)
    .execute();
  await note(app, q, caller, { action: 'SILENCE', id, message, until, reason });
  // It writes nothing: what waits for its next try is held back.
  await attendPlace(q, { tenantId: caller.tenantId, stateId }, writingOf(app));
}

/** Ends a silence: an alarm that fires and was not told of is told of now. As `silence`; changes nothing without one. */
export const unsilence: Operation<z.output<typeof UnsilenceAlarm>, true> = async (
  app,
  caller,
  { id },
) => {
  demandPerson(caller, 'end the silence of an alarm');
  const { tenantId } = caller;
  const written = await inTenant(app.db, tenantId, async (q) => {
    const { stateId, message, isSilenced } = await watched(q, tenantId, id);
    if (!isSilenced) return combined([]);
    await note(app, q, caller, { action: 'UNSILENCE', id, message });
    return catchUp(q, { tenantId, stateId }, writingOf(app));
  });
  await announceNotifications(app, tenantId, written);
  return true;
};

type Watched = { stateId: string; message: string; isSilenced: boolean };

/** The rule state of an alarm, locked. */
async function watched(q: Queries, tenantId: string, alarmId: string): Promise<Watched> {
  const alarm = await q
    .selectFrom('svc_entity_alarm')
    .select(['ruleStateId', 'message'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarmId)
    .executeTakeFirst();
  if (!alarm) throw new NotFound('Alarm');
  const state = await q
    .selectFrom('svc_rule_state')
    .select(['id', 'silencedUntil'])
    .where('tenantId', '=', tenantId)
    .where('id', '=', alarm.ruleStateId)
    .forUpdate()
    .executeTakeFirst();
  if (!state) throw new Conflict('no rule watches the place of this alarm');
  const { silencedUntil } = state;
  return { stateId: state.id, message: alarm.message, isSilenced: silencedUntil !== null };
}

type Noted = { action: 'SILENCE' | 'UNSILENCE'; id: string; message: string } & {
  until?: number;
  reason?: string;
};

const note = (
  app: App,
  q: Queries,
  caller: Caller,
  { action, id, message, until, reason }: Noted,
): Promise<void> =>
  audit(app, q, caller, {
    action,
    resourceType: 'ALARM',
    resourceId: id,
    resourceName: message.slice(0, MAX_NAMED),
    ...(until !== undefined && { detail: { until: new Date(until).toISOString(), reason } }),
  });
