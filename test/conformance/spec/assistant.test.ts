import { randomUUID } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { fresh } from '../../support/world/fresh-name.ts';
import { startedWorld } from '../../support/world/prepared.ts';
import { columnsOf, insertRaw, type RawRow } from '../../support/world/raw-rows.ts';

/**
 * docs/specification/assistant.md, Assistant records, and docs/specification/commands.md, Command records:
 * the columns it names.
 */
const tables = {
  svc_message: ['conversation_id', 'tenant_id'],
  svc_session: ['session_ext', 'conversation_id', 'tenant_id'],
  svc_attachment: ['conversation_id', 'file_path', 'tenant_id'],
  svc_model_provider: ['provider_type', 'base_url', 'api_key', 'default_flag', 'tenant_id'],
  svc_action: ['action_id', 'status', 'expire_time', 'tenant_id'],
  svc_point_command_history: ['command_id', 'status', 'response_value', 'expire_time', 'tenant_id'],
};

/** What the specification numbers: 0 to the highest. */
const ranges: readonly [table: 'svc_model_provider' | 'svc_action', string, number][] = [
  ['svc_model_provider', 'provider_type', 1],
  ['svc_model_provider', 'default_flag', 1],
  ['svc_action', 'status', 9],
];

const rows = {
  svc_model_provider: () => ({ name: fresh('provider'), provider_type: 0 }),
  svc_action: () => ({
    action_id: randomUUID(),
    user_id: 1,
    proposed_via: 'login',
    device_id: 1,
    point_id: 1,
    payload: '{}',
    digest: '',
    expire_time: new Date(0),
  }),
} satisfies Record<string, () => RawRow>;

describe('the records of the assistant and of commands', () => {
  const world = startedWorld();

  it.each(Object.entries(tables))('%s has the columns named', async (table, columns) => {
    expect(await columnsOf(world, table)).toEqual(expect.arrayContaining(columns));
  });

  it.each(ranges)('%s.%s holds 0 to %i and nothing else', async (table, column, highest) => {
    const insert = (value: number) => {
      const tenant_id = world.admin.tenantId;
      return insertRaw(world, table, { ...rows[table](), tenant_id, [column]: value });
    };
    for (let value = 0; value <= highest; value += 1) await insert(value);
    for (const wrong of [-1, highest + 1])
      await expect(insert(wrong), `${wrong}`).rejects.toThrow(/check/);
  });
});
