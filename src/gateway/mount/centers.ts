import { routes as agentic } from '../../agentic/routes.ts';
import { routes as alarm } from '../../alarm/routes.ts';
import { RUNS_PLATFORM } from '../../auth/permission/platform.ts';
import { routes as auth } from '../../auth/routes.ts';
import { routes as ofData } from '../../data/routes.ts';
import type { Route } from '../../kernel/app/route.ts';
import { routes as manager } from '../../manager/routes.ts';

/** Alarms are served by the data center. */
const data = [...ofData, ...alarm];

/** Center → its endpoint table; the center's name is also URL prefix and permission prefix. */
export const centers = { auth, manager, data, agentic } as const satisfies Record<
  string,
  readonly Route[]
>;

/** Every permission code that a route or an operation requires, e.g. `svc-center-manager:device:add`. */
export function permissionCodes(): string[] {
  const codes = Object.entries(centers).flatMap(([center, routes]) =>
    routes
      .filter(({ needs }) => needs.includes(':'))
      .map(({ needs }) => `svc-center-${center}:${needs}`),
  );
  return [...new Set([...codes, `svc-center-agentic:${CHAT.needs}`, RUNS_PLATFORM])];
}

/**
 * Chat and models answer in OpenAI's shape, so they are mounted outside the tables; their permissions are
 * declared here. A token with svc:chat may list models.
 */
export const CHAT = { needs: 'chat:list', scope: 'svc:chat' } as const;
export const MODELS = { needs: 'model:list', scope: 'svc:chat' } as const;
