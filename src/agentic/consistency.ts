import { sql } from 'kysely';

import { type Check, type Finding, owned } from '../db/check.ts';

/** A sweep ends overdue actions; what is still pending a minute later was left behind. */
const LEFT_MS = 60_000;

/** Conversations, actions and model providers. */
export const checks: readonly Check[] = [
  ...owned(['svc_session', 'svc_message', 'svc_action', 'svc_model_provider']),
  {
    name: 'a tenant has at most one default model provider',
    find: () => sql<Finding>`
      select 'svc_tenant ' || tenant_id as entity, count(*) || ' defaults' as detail
      from svc_model_provider where default_flag = 1 and enable_flag = 0
      group by tenant_id having count(*) > 1`,
  },
  {
    name: 'svc_action has none that is pending past its expiry',
    find: (at) => sql<Finding>`
      select 'svc_action ' || action_id as entity, 'expired ' || expire_time as detail
      from svc_action where status = 0 and expire_time < ${new Date(at.getTime() - LEFT_MS)}`,
  },
];
