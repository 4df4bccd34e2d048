import type { Route } from '../kernel/app/route.ts';
import { routes as alarms } from './alarm-routes.ts';
import { routes as dashboard } from './dashboard/routes.ts';
import { routes as maintenance } from './maintenance-routes.ts';
import { routes as notify } from './notify-routes.ts';
import { routes as rules } from './rule-routes.ts';

/** The alarm part of the data center's endpoint table (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  ...rules,
  ...alarms,
  ...dashboard,
  ...notify,
  ...maintenance,
];
