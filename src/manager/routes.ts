import type { Route } from '../kernel/app/route.ts';
import { routes as groups } from './device/group-routes.ts';
import { routes as devices } from './device/routes.ts';
import { routes as attributes } from './driver/attribute-routes.ts';
import { routes as drivers } from './driver/routes.ts';
import { routes as firmware } from './firmware/routes.ts';
import { routes as overview } from './presence/routes.ts';
import { routes as profiles } from './profile-routes.ts';
import { routes as registrations } from './registration/routes.ts';
import { routes as tables } from './table/routes.ts';
import { routes as traces } from './trace/routes.ts';

/** The endpoint table of the manager center (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  ...drivers,
  ...profiles,
  ...devices,
  ...registrations,
  ...traces,
  ...tables,
  ...attributes,
  ...firmware,
  ...groups,
  ...overview,
];
