import type { Route } from '../../kernel/app/route.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import { OfDevice, OfDriver } from '../entity/of.ts';
import type { AttributeKind } from '../entity/value-type.ts';
import { AddAttribute, changesOf, UpdateAttribute } from './attribute-change.ts';
import * as configChange from './attribute-config-change.ts';
import { ofCommand, ofDriver, ofEvent, ofPoint, UpdateConfig } from './attribute-config-input.ts';
import * as config from './attribute-config.ts';
import { Attribute, AttributeQuery, readsOf } from './attribute.ts';

function attributes(kind: AttributeKind): Route[] {
  const noun = `${kind}_attribute`;
  const rows = routesOf({ noun, answer: Attribute.schema, reads: 'svc:read' });
  const run = { ...readsOf(kind), ...changesOf(kind) };
  return [
    rows.add(`/${noun}/add`, AddAttribute, run.add),
    rows.update(`/${noun}/update`, UpdateAttribute, run.update),
    rows.remove(`/${noun}/delete`, run.remove),
    rows.byId(`/${noun}/get_by_id`, run.byId),
    rows.of(`/${noun}/list_by_driver_id`, OfDriver, run.byDriver),
    rows.page(`/${noun}/list`, AttributeQuery, run.page),
  ];
}

const answer = config.AttributeConfig.schema;
const ofPart = { point: ofPoint, command: ofCommand, event: ofEvent };

function partConfigs(kind: keyof typeof ofPart): Route[] {
  const noun = `${kind}_attribute_config`;
  const { Add, ByKeys, OfPart, Query } = ofPart[kind];
  const rows = routesOf({ noun, answer, reads: 'svc:read' });
  const run = { ...config.readsOf(kind), ...configChange.changesOf(kind) };
  return [
    rows.add(`/${noun}/add`, Add, run.add),
    rows.update(`/${noun}/update`, UpdateConfig, run.update),
    rows.remove(`/${noun}/delete`, run.remove),
    rows.byId(`/${noun}/get_by_id`, run.byId),
    rows.one(`/${noun}/get_by_attribute_id_and_device_id_and_${kind}_id`, ByKeys, run.byKeys),
    rows.of(`/${noun}/list_by_device_id_and_${kind}_id`, OfPart, run.byDevice),
    rows.of(`/${noun}/list_by_device_id`, OfDevice, run.byDevice),
    rows.page(`/${noun}/list`, Query, run.page),
  ];
}

/** Read by interactive logins only: their `configExt` may hold keys of devices. */
function driverConfigs(): Route[] {
  const noun = 'driver_attribute_config';
  const { Add, ByKeys, Query } = ofDriver;
  const rows = routesOf({ noun, answer, reads: 'interactive' });
  const run = { ...config.readsOf('driver'), ...configChange.changesOf('driver') };
  return [
    rows.add(`/${noun}/add`, Add, run.add),
    rows.update(`/${noun}/update`, UpdateConfig, run.update),
    rows.remove(`/${noun}/delete`, run.remove),
    rows.byId(`/${noun}/get_by_id`, run.byId),
    rows.one(`/${noun}/get_by_device_id_and_attribute_id`, ByKeys, run.byKeys),
    rows.of(`/${noun}/list_by_device_id`, OfDevice, run.byDevice),
    rows.page(`/${noun}/list`, Query, run.page),
  ];
}

/** Attributes of drivers, and the configs of devices for them. */
export const routes: readonly Route[] = [
  ...attributes('driver'),
  ...attributes('point'),
  ...attributes('command'),
  ...attributes('event'),
  ...driverConfigs(),
  ...partConfigs('point'),
  ...partConfigs('command'),
  ...partConfigs('event'),
];
