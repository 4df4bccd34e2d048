import type { Route } from '../kernel/app/route.ts';
import { routes as changes } from './change/routes.ts';
import { routes as deadLetters } from './dashboard/dead-letter-routes.ts';
import { routes as dashboard } from './dashboard/routes.ts';
import { routes as status } from './dashboard/status-routes.ts';
import { routes as events } from './ingest/event-routes.ts';
import { routes as retention } from './retention/routes.ts';
import { routes as values } from './value-routes.ts';
import { routes as calls } from './write/call-routes.ts';
import { routes as commands } from './write/routes.ts';

/** The endpoint table of the data center (docs/specification/endpoints.md, Centers). */
export const routes: readonly Route[] = [
  ...values,
  ...retention,
  ...commands,
  ...calls,
  ...status,
  ...dashboard,
  ...changes,
  ...events,
  ...deadLetters,
];
