import { z } from 'zod';

import { post, type Route } from '../../../kernel/app/route.ts';
import { Done } from '../../../kernel/entity/answer.ts';
import { ById } from '../../../kernel/input/input.ts';
import * as clients from './clients.ts';
import * as grants from './grants.ts';

/** The OAuth clients of a tenant, and what its people allowed programs. */
export const routes: readonly Route[] = [
  post(
    '/mcp/client/register',
    {
      needs: 'mcp:add',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Register an OAuth client for a service account',
      input: clients.RegisterClient,
      output: clients.NewOauthClient,
    },
    clients.register,
  ),
  post(
    '/mcp/client/list',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'The OAuth clients',
      input: clients.ListClients,
      output: z.array(clients.OauthClient.schema),
    },
    clients.list,
  ),
  post(
    '/mcp/client/delete',
    {
      needs: 'mcp:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Delete an OAuth client',
      reason: 'What can be registered can be deleted',
      input: ById,
      output: Done,
    },
    clients.remove,
  ),
  post(
    '/mcp/grant/list',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'read',
      summary: 'What people allowed programs: the own grants, or those of the tenant',
      reason: 'docs/specification/authorization.md, OAuth',
      input: grants.ListGrants,
      output: grants.Grants,
    },
    grants.list,
  ),
  post(
    '/mcp/grant/revoke',
    {
      needs: 'authenticated',
      scope: 'interactive',
      risk: 'remove',
      summary: 'End what a person allowed a program, at once and everywhere',
      reason: 'docs/specification/authorization.md, OAuth',
      input: grants.RevokeGrant,
      output: Done,
    },
    grants.revoke,
  ),
];
