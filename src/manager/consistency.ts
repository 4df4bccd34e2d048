import { sql } from 'kysely';

import { type Check, type Finding, link, owned } from '../db/check.ts';
import { EntityType } from './entity/entity-type.ts';

const parts = ['point', 'command', 'event'] as const;
const kinds = ['driver', ...parts] as const;

const configLinks = (kind: (typeof kinds)[number]): Check[] => {
  const table = `svc_${kind}_attribute_config`;
  return [
    ...link({ table, column: 'attribute_id', to: `svc_${kind}_attribute` }),
    ...link({ table, column: 'device_id', to: 'svc_device' }),
    {
      name: `${table} is for an attribute of the device's driver`,
      find: () => sql<Finding>`
        select ${`${table} `} || c.id as entity, 'attribute_id = ' || c.attribute_id as detail
        from ${sql.table(table)} c join svc_device d on d.id = c.device_id
        join ${sql.table(`svc_${kind}_attribute`)} a on a.id = c.attribute_id
        where a.driver_id <> d.driver_id`,
    },
  ];
};

/** Values of secret attributes that are stored in clear; the next registration of their driver seals them. */
const sealed = (kind: (typeof kinds)[number]): Check => {
  const table = `svc_${kind}_attribute_config`;
  return {
    name: `${table} has secrets sealed`,
    find: () => sql<Finding>`
      select ${`${table} `} || c.id as entity, a.attribute_code || ' is in clear' as detail
      from ${sql.table(table)} c join ${sql.table(`svc_${kind}_attribute`)} a on a.id = c.attribute_id
      where a.attribute_ext #>> '{security,secret}' = 'true' and c.config_value <> ''
        and not a.attribute_ext ? 'identity' and not a.attribute_ext ? 'provenBy'
        and not starts_with(c.config_value, 'enc:v1:')`,
  };
};

const partLinks = (kind: (typeof parts)[number]): Check[] => {
  const table = `svc_${kind}_attribute_config`;
  const part = sql.ref(`c.${kind}_id`);
  return [
    ...link({ table, column: `${kind}_id`, to: `svc_${kind}` }),
    {
      name: `${table} is for a ${kind} of the device's profile`,
      find: () => sql<Finding>`
        select ${`${table} `} || c.id as entity, ${`${kind}_id = `} || ${part} as detail
        from ${sql.table(table)} c join svc_device d on d.id = c.device_id
        join ${sql.table(`svc_${kind}`)} p on p.id = ${part} where p.profile_id <> d.profile_id`,
    },
  ];
};

/** Entities that groups, labels and states name by kind and id. */
const named = (table: string, key = 'c.id'): Check[] =>
  (['DRIVER', 'PROFILE', 'POINT', 'DEVICE', 'COMMAND', 'EVENT'] as const).flatMap((kind) =>
    link({
      table,
      column: 'entity_id',
      to: `svc_${kind.toLowerCase()}`,
      when: `c.entity_type_flag = ${EntityType[kind]}`,
      key,
    }).map((check) => ({ ...check, name: `${check.name} (${kind})` })),
  );

const sameKind = (table: string, column: string, to: string): Check => ({
  name: `${table} is of the kind of its ${to}`,
  find: () => sql<Finding>`
    select ${`${table} `} || c.id as entity, ${`${column} = `} || ${sql.ref(`c.${column}`)} as detail
    from ${sql.table(table)} c join ${sql.table(to)} g on g.id = ${sql.ref(`c.${column}`)}
    where g.entity_type_flag <> c.entity_type_flag`,
});

/** Links among drivers, profiles, devices, their points, commands, events and configs. */
export const checks: readonly Check[] = [
  ...owned(
    ['svc_device_import', 'svc_device_import_slice', 'svc_device_import_refusal'],
    'import_id',
  ),
  ...owned(['svc_driver', 'svc_profile', 'svc_point', 'svc_device', 'svc_command', 'svc_event']),
  ...owned(['svc_group', 'svc_label', 'svc_command_param', 'svc_event_param']),
  ...kinds.flatMap((kind) =>
    link({ table: `svc_${kind}_attribute`, column: 'driver_id', to: 'svc_driver' }),
  ),
  ...link({ table: 'svc_device', column: 'driver_id', to: 'svc_driver' }),
  ...link({ table: 'svc_device', column: 'profile_id', to: 'svc_profile' }),
  ...parts.flatMap((kind) =>
    link({ table: `svc_${kind}`, column: 'profile_id', to: 'svc_profile' }),
  ),
  ...link({ table: 'svc_command_param', column: 'command_id', to: 'svc_command' }),
  ...link({ table: 'svc_event_param', column: 'event_id', to: 'svc_event' }),
  ...kinds.flatMap(configLinks),
  ...kinds.map(sealed),
  ...owned(['svc_firmware_package', 'svc_firmware_rollout']),
  ...owned(['svc_firmware_chunk'], 'package_id'),
  ...owned(['svc_firmware_update'], 'rollout_id'),
  ...owned(['svc_device_registration'], 'device_id'),
  ...owned(['svc_waiting_endpoint']),
  ...link({
    table: 'svc_device_registration',
    column: 'device_id',
    to: 'svc_device',
    key: 'c.device_id',
  }),
  ...link({ table: 'svc_endpoint_claim', column: 'device_id', to: 'svc_device' }),
  ...link({
    table: 'svc_endpoint_claim',
    column: 'config_id',
    to: 'svc_driver_attribute_config',
  }),
  {
    name: 'svc_endpoint_claim says what its config says',
    find: () => sql<Finding>`
      select 'svc_endpoint_claim ' || k.id as entity, 'endpoint = ' || k.endpoint as detail
      from svc_endpoint_claim k join svc_driver_attribute_config c on c.id = k.config_id
      where (c.config_value, c.device_id) is distinct from (k.endpoint, k.device_id)`,
  },
  ...parts.flatMap(partLinks),
  ...link({
    table: 'svc_group',
    column: 'parent_group_id',
    to: 'svc_group',
    when: 'c.parent_group_id <> 0',
  }),
  ...link({ table: 'svc_group_bind', column: 'group_id', to: 'svc_group' }),
  ...link({ table: 'svc_label_bind', column: 'label_id', to: 'svc_label' }),
  sameKind('svc_group_bind', 'group_id', 'svc_group'),
  sameKind('svc_label_bind', 'label_id', 'svc_label'),
  ...named('svc_group_bind'),
  ...named('svc_label_bind'),
  ...named('svc_entity_state', 'c.entity_id'),
];
