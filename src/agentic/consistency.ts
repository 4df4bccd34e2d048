import { sql } from 'kysely';

import { type Check, type Finding, link, owned } from '../db/check.ts';

/** The sweeper runs every 5 s: an action that it has not handled after a minute was missed. */
const LEFT_MS = 60_000;

/** The table exists only where the memory is or was on (sql/memory.sql). */
const MEMORY = 'svc_chat_memory';

/** Checks of conversations and their records, of actions and of model providers. */
export const checks: readonly Check[] = [
  ...owned(['svc_session', 'svc_message', 'svc_action', 'svc_model_provider', 'svc_model_config']),
  ...owned(['svc_attachment', 'svc_manual']),
  ...owned(['svc_manual_page'], 'manual_id'),
  ...owned(['svc_chat_handle'], 'handle'),
  ...owned(['svc_action_key', 'svc_action_step', 'svc_standing_use'], 'action_id'),
  ...owned(['svc_standing_approval'], 'approval_id'),
  ...owned([MEMORY]).map((check) => ({ ...check, table: MEMORY })),
  ofConversation('svc_message'),
  ofConversation('svc_attachment'),
  { ...ofConversation(MEMORY), table: MEMORY },
  ...link({ table: 'svc_manual_page', column: 'manual_id', to: 'svc_manual', key: 'c.manual_id' }),
  ...(['device', 'profile'] as const).flatMap((owner) =>
    link({
      table: 'svc_manual',
      column: `${owner}_id`,
      to: `svc_${owner}`,
      when: `c.${owner}_id <> 0`,
    }),
  ),
  ...link({ table: 'svc_model_config', column: 'provider_id', to: 'svc_model_provider' }),
  atMostOneDefault('model provider', 'svc_model_provider'),
  atMostOneDefault('model', 'svc_model_config'),
  {
    name: 'svc_action has none that is pending past its expiry',
    find: (at) => sql<Finding>`
      select 'svc_action ' || action_id as entity, 'expired ' || expire_time as detail
      from svc_action where status = 0 and expire_time < ${new Date(at.getTime() - LEFT_MS)}`,
  },
  {
    name: 'svc_action has none whose end is missing in its conversation',
    find: (at) => sql<Finding>`
      select 'svc_action ' || action_id as entity, 'ended ' || operate_time as detail
      from svc_action where not told and status in (2, 3, 4, 5, 6)
        and operate_time < ${new Date(at.getTime() - LEFT_MS)}`,
  },
];

function ofConversation(table: string): Check {
  return {
    name: `${table} is of a conversation that exists`,
    find: () => sql<Finding>`
      select ${`${table} `} || c.id as entity, 'conversation ' || c.conversation_id as detail
      from ${sql.table(table)} c where not exists (select from svc_session s
        where s.tenant_id = c.tenant_id and s.user_id = c.user_id
          and s.conversation_id = c.conversation_id)`,
  };
}

function atMostOneDefault(what: string, table: string): Check {
  return {
    name: `a tenant has at most one default ${what}`,
    find: () => sql<Finding>`
      select 'svc_tenant ' || tenant_id as entity, count(*) || ' defaults' as detail
      from ${sql.table(table)} where default_flag = 1
      group by tenant_id having count(*) > 1`,
  };
}
