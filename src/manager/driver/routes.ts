import type { Route } from '../../kernel/app/route.ts';
import { routesOf } from '../../kernel/entity/routes.ts';
import * as driver from './driver.ts';

const rows = routesOf({ noun: 'driver', answer: driver.Driver.schema, reads: 'svc:read' });

export const routes: readonly Route[] = [
  rows.add('/driver/add', driver.AddDriver, driver.add),
  rows.update('/driver/update', driver.UpdateDriver, driver.update),
  rows.remove('/driver/delete', driver.remove),
  rows.byId('/driver/get_by_id', driver.byId),
  rows.byIds('/driver/list_by_ids', driver.byIds),
  rows.one('/driver/get_by_service_name', driver.ByServiceName, driver.byServiceName),
  rows.page('/driver/list', driver.DriverQuery, driver.page),
];
