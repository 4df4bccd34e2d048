import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { checks, examineAll } from '../../src/cli/operator/doctor.ts';
import { examine } from '../../src/db/check.ts';
import type { Queries } from '../../src/db/connect.ts';
import { COUNTED, entityOf } from '../../src/db/tenant-total.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { EntityType } from '../../src/manager/entity/entity-type.ts';
import { type Owned, populate } from '../support/cases/populate.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';

const MISSING = '4611686018427387904';
const LINK = /^(\w+)\.(\w+) leads to a (\w+) (that exists|of the same tenant)(?: \((\w+)\))?$/;

/** Thrown so that what was planted is rolled back. */
class Planted extends Error {}

describe('the doctor', () => {
  let world: World;
  let mine: Owned;
  let theirs: Owned;
  const data = prepared(() => freshDatabase());
  beforeAll(async () => {
    const memory = { AGENTIC_MEMORY_ENABLED: 'on', AGENTIC_MEMORY_SCHEMA_INIT: 'always' };
    world = await startWorld({ environment: { SVC_DEMO: 'on', ...memory }, database: data });
    mine = await populate(world, await world.tenant('mine'));
    theirs = await populate(world, await world.tenant('theirs'));
    await acrossTenants(world.app.db, 'doctor', async (q) => {
      await sql`insert into svc_identity_provider (tenant_id, provider_code)
        values (${mine.tenant}, 'ours')`.execute(q);
      await sql`insert into svc_action_step (tenant_id, action_id, step, device_id, point_id)
        values (${mine.tenant}, ${mine.action}, 1, ${mine.device}, ${mine.point})`.execute(q);
      await sql`insert into svc_standing_use
          (tenant_id, approval_id, action_id, device_id, point_id, use_time)
        values (${mine.tenant}, ${mine.approval}, ${mine.action}, ${mine.device}, ${mine.point}, now())`.execute(
        q,
      );
      await sql`insert into svc_device_import_slice (tenant_id, import_id, slice, content)
        values (${mine.tenant}, ${mine.import}, 1, '[]')`.execute(q);
      await sql`insert into svc_device_import_refusal
          (tenant_id, import_id, row_number, device_name, column_title, reason)
        values (${mine.tenant}, ${mine.import}, 3, '', '', '')`.execute(q);
      await sql`insert into svc_waiting_endpoint
          (tenant_id, driver_code, endpoint, host, since_time, last_time, attempts)
        values (${mine.tenant}, 'Lwm2mDriver', 'urn:dev:9', '::1', now(), now(), 1)`.execute(q);
      await sql`insert into svc_heard_text
          (tenant_id, user_id, client_id, digest, tool, field, subject, text, read_time, expire_time)
        values (${mine.tenant}, ${mine.principal}, '', '', '', '', '', '', now(), now() + interval '1 h')`.execute(
        q,
      );
      await sql`insert into svc_chat_handle
          (tenant_id, user_id, handle, conversation_id, create_time, expire_time)
        values (${mine.tenant}, ${mine.principal}, 'said:', '', now(), now() + interval '1 h')`.execute(
        q,
      );
      await sql`insert into svc_endpoint_claim (tenant_id, driver_code, endpoint, device_id, config_id)
        select tenant_id, 'Lwm2mDriver', config_value, device_id, id
        from svc_driver_attribute_config where id = ${mine.driverAttributeConfig}`.execute(q);
    });
  });
  afterAll(() => world?.stop());

  const at = () => new Date(world.clock.now());

  /** Whether the check notices this; nothing of it stays. */
  async function notices(name: string, plant: (q: Queries) => Promise<unknown>): Promise<boolean> {
    const check = checks.find((candidate) => candidate.name === name);
    let total = 0;
    const planting = acrossTenants(world.app.db, 'doctor', async (q) => {
      await plant(q);
      if (check) ({ total } = await examine(q, check, at()));
      throw new Planted();
    });
    await expect(planting).rejects.toBeInstanceOf(Planted);
    return total > 0;
  }

  it('finds nothing after one of everything was onboarded in two tenants', async () => {
    const examined = await acrossTenants(world.app.db, 'doctor', (q) => examineAll(q, at()));
    expect(examined.filter(({ total }) => total > 0)).toEqual([]);
  });

  const links = checks.flatMap(({ name }) => {
    const [, table, column, to, kind, type] = LINK.exec(name) ?? [];
    return table && column && to ? [{ name, table, column, to, kind, type }] : [];
  });

  it.each(links)('finds what breaks: $name', async ({ name, table, column, to, kind, type }) => {
    const isNoticed = await notices(name, async (q) => {
      const end =
        kind === 'that exists'
          ? sql`${MISSING}::bigint`
          : sql`(select p.id from ${sql.table(to)} p where p.tenant_id <> c.tenant_id limit 1)`;
      const flag = Object.entries(EntityType).find(([entity]) => entity === type)?.[1];
      const typed = flag === undefined ? sql`` : sql`, entity_type_flag = ${flag}`;
      // Locked where it is found: a heartbeat may write a new version of the row meanwhile.
      const { numAffectedRows } = await sql`
        update ${sql.table(table)} c set ${sql.ref(column)} = ${end} ${typed}
        where c.ctid = (select x.ctid from ${sql.table(table)} x order by x.ctid desc limit 1
          for update)`.execute(q);
      expect(numAffectedRows).toBe(1n);
    });
    expect(isNoticed).toBe(true);
  });

  const asOwner = async (q: Queries, ...statements: string[]) => {
    await sql`set local role none`.execute(q);
    for (const statement of statements) await sql.raw(statement).execute(q);
  };
  const plants: Record<string, (q: Queries) => Promise<unknown>> = {
    'every table with a tenant has row-level security, for its owner too': (q) =>
      asOwner(q, 'alter table svc_point no force row level security'),
    'the application role can neither bypass row-level security nor owns a table': (q) =>
      asOwner(
        q,
        'grant create on schema public to svc_app',
        'alter table svc_label owner to svc_app',
      ),
    'values of the next weeks have partitions': (q) =>
      asOwner(
        q,
        `do $$ begin execute 'drop table svc_point_value_'
          || to_char((now() + interval '2 weeks') at time zone 'UTC', 'IYYY"w"IW'); end $$`,
      ),
    ...Object.fromEntries(
      COUNTED.map((table) => [
        `svc_tenant_total has the number of rows of ${table}`,
        (q: Queries) =>
          sql`insert into svc_tenant_total (tenant_id, entity, amount)
            values (${mine.tenant}, ${entityOf(table)}, 1)`.execute(q),
      ]),
    ),
    'a role is bound in its own tenant, or is one of the platform': (q) =>
      sql`with r as (insert into svc_role (tenant_id, role_code) values (${theirs.tenant}, 'foreign')
          returning id) update svc_role_principal_bind set role_id = (select id from r)
        where tenant_id = ${mine.tenant}`.execute(q),
    'who has a role in a tenant is a member of it': (q) =>
      sql`delete from svc_tenant_membership where tenant_id = ${mine.tenant}`.execute(q),
    'a service account is a member of exactly one tenant: its own': (q) =>
      sql`delete from svc_tenant_membership where principal_id = ${mine.serviceAccountPrincipal}`.execute(
        q,
      ),
    'a name is taken in each tenant of the principal that has it': (q) =>
      sql`delete from svc_tenant_name where tenant_id = ${mine.tenant}`.execute(q),
    'svc_group_bind is of the kind of its svc_group': (q) =>
      sql`update svc_group set entity_type_flag = ${EntityType.POINT} where id = ${mine.group}`.execute(
        q,
      ),
    'svc_label_bind is of the kind of its svc_label': (q) =>
      sql`update svc_label set entity_type_flag = ${EntityType.POINT} where id = ${mine.label}`.execute(
        q,
      ),
    'svc_endpoint_claim says what its config says': (q) =>
      sql`update svc_endpoint_claim set endpoint = endpoint || '-other'`.execute(q),
    "svc_point_latest is of a point of the device's profile": (q) => moveDevice(q),
    ...Object.fromEntries(
      ['point', 'command', 'event'].map((kind) => [
        `svc_${kind}_attribute_config is for a ${kind} of the device's profile`,
        moveDevice,
      ]),
    ),
    ...Object.fromEntries(
      ['driver', 'point', 'command', 'event'].map((kind) => [
        `svc_${kind}_attribute_config is for an attribute of the device's driver`,
        (q: Queries) =>
          sql`update ${sql.table(`svc_${kind}_attribute`)} set driver_id = (select id from svc_driver d
              where d.tenant_id = ${mine.tenant} and d.id <> ${mine.driver} limit 1)
            where driver_id = ${mine.driver} and creator_id <> 0 or attribute_code in ('host', 'tag')
              and tenant_id = ${mine.tenant}`.execute(q),
      ]),
    ),
    ...Object.fromEntries(
      ['driver', 'point', 'command', 'event'].map((kind) => [
        `svc_${kind}_attribute_config has secrets sealed`,
        (q: Queries) =>
          sql`update ${sql.table(`svc_${kind}_attribute`)} set attribute_ext = '{"security": {"secret": true}}'
            where id in (select attribute_id from ${sql.table(`svc_${kind}_attribute_config`)}
              where tenant_id = ${mine.tenant})`.execute(q),
      ]),
    ),
    'hours of values are closed within a day after they are due': (q) =>
      sql`insert into svc_value_closing (tenant_id, due_time) values (${mine.tenant}, now() - interval '2 days')
        on conflict (tenant_id) do update set due_time = excluded.due_time`.execute(q),
    'svc_value_delay counts the values of the closed hours': (q) =>
      sql`insert into svc_value_delay values (${mine.tenant}, now(), 0, 1)`.execute(q),
    'svc_point_command_history has no command that is open past its expiry': (q) =>
      sql`update svc_point_command_history set status = 1, expire_time = now() - interval '1 hour'
        where command_id = ${mine.pointCommand}`.execute(q),
    'svc_command_history has no command that is open past its expiry': (q) =>
      sql`update svc_command_history set status = 0, expire_time = now() - interval '1 hour'
        where record_id = ${mine.call}`.execute(q),
    'svc_action has none that is pending past its expiry': (q) =>
      sql`update svc_action set expire_time = now() - interval '1 hour'
        where action_id = ${mine.action}`.execute(q),
    'svc_action has none whose end is missing in its conversation': (q) =>
      sql`update svc_action set status = 2, told = false, operate_time = now() - interval '1 hour'
        where action_id = ${mine.action}`.execute(q),
    ...Object.fromEntries(
      ['svc_message', 'svc_attachment', 'svc_chat_memory'].map((table) => [
        `${table} is of a conversation that exists`,
        (q: Queries) => sql`delete from svc_session where tenant_id = ${mine.tenant}`.execute(q),
      ]),
    ),
    'svc_notify_history has none that is due and was forgotten': (q) =>
      sql`update svc_notify_history set status_flag = 0, next_try_time = now() - interval '1 hour'
        where id = ${mine.notification}`.execute(q),
    'svc_notify_ledger has none that is due and was forgotten': (q) =>
      sql`update svc_notify_ledger set end_time = null, due_time = now() - interval '1 hour'
        where tenant_id = ${mine.tenant}`.execute(q),
    'a tenant has at most one default model provider': (q) =>
      sql`insert into svc_model_provider (tenant_id, name, provider_type, default_flag)
        select ${mine.tenant}, 'default ' || n, 0, 1 from generate_series(1, 2) n`.execute(q),
    'a tenant has at most one default model': (q) =>
      sql`insert into svc_model_config (tenant_id, provider_id, model, default_flag)
        select ${mine.tenant}, ${mine.modelProvider}, 'default ' || n, 1
        from generate_series(1, 2) n`.execute(q),
  };

  /** To another profile, as if the platform had forgotten what hangs on it. */
  function moveDevice(q: Queries) {
    return sql`with p as (insert into svc_profile (tenant_id, profile_name, profile_code)
        values (${mine.tenant}, 'elsewhere', 'elsewhere') returning id)
      update svc_device set profile_id = (select id from p) where id = ${mine.device}`.execute(q);
  }

  it.each(checks.map(({ name }) => name).filter((name) => !LINK.test(name)))(
    'finds what breaks: %s',
    async (name) => {
      const plant = plants[name];
      if (!plant) throw new Error('nothing is planted for this check');
      expect(await notices(name, plant)).toBe(true);
    },
  );
});
