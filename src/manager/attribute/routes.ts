import type { Route } from '../../route.ts';
import { add, byId, find, list, one, onlyInteractive, remove, update } from '../routes/row.ts';
import { AddAttribute, change, UpdateAttribute } from './attribute-change.ts';
import * as inputs from './attribute-config-input.ts';
import { configsOf } from './attribute-config.ts';
import * as attribute from './attribute.ts';
import * as driverConfig from './driver-attribute-config.ts';

function attributes(kind: 'driver' | 'point' | 'command' | 'event'): Route[] {
  const noun = `${kind}_attribute`;
  const reads = attribute.read(`svc_${kind}_attribute`);
  const changes = change(`svc_${kind}_attribute`);
  return [
    add(`/${noun}/add`, noun, AddAttribute, changes.add),
    update(`/${noun}/update`, noun, UpdateAttribute, changes.update),
    remove(`/${noun}/delete`, noun, changes.remove),
    byId(`/${noun}/get_by_id`, noun, reads.byId),
    find(`/${noun}/list_by_driver_id`, noun, attribute.OfDriver, reads.byDriver),
    list(`/${noun}/list`, noun, attribute.AttributeQuery, reads.page),
  ];
}

const ofPart = { point: inputs.ofPoint, command: inputs.ofCommand, event: inputs.ofEvent };

function configs(kind: keyof typeof ofPart): Route[] {
  const noun = `${kind}_attribute_config`;
  const { Add, ByKeys, OfPart, Query } = ofPart[kind];
  const run = configsOf(kind);
  return [
    add(`/${noun}/add`, noun, Add, run.add),
    update(`/${noun}/update`, noun, inputs.UpdateConfig, run.update),
    remove(`/${noun}/delete`, noun, run.remove),
    byId(`/${noun}/get_by_id`, noun, run.byId),
    one(`/${noun}/get_by_attribute_id_and_device_id_and_${kind}_id`, noun, ByKeys, run.byKeys),
    find(`/${noun}/list_by_device_id_and_${kind}_id`, noun, OfPart, run.byDevice),
    find(`/${noun}/list_by_device_id`, noun, inputs.OfDevice, run.byDevice),
    list(`/${noun}/list`, noun, Query, run.page),
  ];
}

const noun = 'driver_attribute_config';

/** Attributes of drivers and the configs of devices for them; driver configs may hold keys of devices. */
export const routes: readonly Route[] = [
  ...attributes('driver'),
  ...attributes('point'),
  ...attributes('command'),
  ...attributes('event'),
  add(`/${noun}/add`, noun, driverConfig.AddConfig, driverConfig.add),
  update(`/${noun}/update`, noun, driverConfig.UpdateConfig, driverConfig.update),
  remove(`/${noun}/delete`, noun, driverConfig.remove),
  ...[
    byId(`/${noun}/get_by_id`, noun, driverConfig.byId),
    one(
      `/${noun}/get_by_device_id_and_attribute_id`,
      noun,
      driverConfig.OfDeviceAndAttribute,
      driverConfig.byDeviceAndAttribute,
    ),
    find(`/${noun}/list_by_device_id`, noun, driverConfig.OfDevice, driverConfig.byDevice),
    list(`/${noun}/list`, noun, driverConfig.ConfigQuery, driverConfig.page),
  ].map(onlyInteractive),
  ...configs('point'),
  ...configs('command'),
  ...configs('event'),
];
