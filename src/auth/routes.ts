import type { Route } from '../kernel/app/route.ts';
import { routes as agents } from './agent/routes.ts';
import { routes as audit } from './audit/routes.ts';
import { routes as connections } from './connection/routes.ts';
import { routes as keys } from './credential/routes.ts';
import { routes as login } from './login/routes.ts';
import { routes as clients } from './oauth/store/routes.ts';
import { routes as people } from './people/routes.ts';
import { routes as rights } from './rights/routes.ts';

/** The endpoint table of the auth center, below `/api/v3/auth`. */
export const routes: readonly Route[] = [
  ...login,
  ...people,
  ...rights,
  ...audit,
  ...keys,
  ...clients,
  ...connections,
  ...agents,
];
