import type { Route } from '../kernel/app/route.ts';
import { routes as accounting } from './accounting/routes.ts';
import { routes as approvals } from './approval/routes.ts';
import { routes as attachments } from './attachment/routes.ts';
import { origins, routes as sessions } from './chat/routes.ts';
import { routes as handovers } from './handover/routes.ts';
import { routes as manuals } from './manual/routes.ts';
import { routes as actions } from './propose/routes.ts';
import { routes as checks } from './provider/ask/check-routes.ts';
import { routes as providers } from './provider/routes.ts';

/** `/api/v3/agentic`; chat completions answer in OpenAI's shape and are mounted by the gateway. */
export const routes: readonly Route[] = [
  ...actions,
  ...approvals,
  ...handovers,
  ...sessions,
  ...attachments,
  ...manuals,
  ...providers,
  ...checks,
  ...origins,
  ...accounting,
];
