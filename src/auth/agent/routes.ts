import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import { ById } from '../../kernel/input/input.ts';
import { Connection } from '../connection/connection.ts';
import * as connectionBudget from './connection-budget.ts';
import * as hold from './hold.ts';
import * as agentSwitch from './switch.ts';

/** What stops agents: for the platform, a tenant and a connection. */
export const routes: readonly Route[] = [
  get(
    '/mcp/switch/get',
    {
      needs: 'mcp:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'What agents may do now',
      reason: 'What agents may do now',
      input: z.unknown(),
      output: agentSwitch.AgentSwitch.schema,
    },
    agentSwitch.get,
  ),
  post(
    '/mcp/switch/set',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Switches agents on, to reading only, or off: in the tenant or on the platform',
      reason: 'Agents can be stopped',
      input: agentSwitch.SetSwitch,
      output: agentSwitch.AgentSwitch.schema,
    },
    agentSwitch.set,
  ),
  post(
    '/mcp/switch/hold_tried',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Lets agents that ask for what only people may do only read from then on, or not',
      reason: 'docs/specification/identity.md, Refusals',
      input: hold.SetHold,
      output: Done,
    },
    hold.setHold,
  ),
  post(
    '/mcp/switch/lift',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Lets an account propose again whose agent asked for what only people may do',
      reason: 'docs/specification/identity.md, Refusals',
      input: hold.Lift,
      output: Done,
    },
    hold.lift,
  ),
  post(
    '/mcp/connection/read_only',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Lets the client of a connection only read, or propose again',
      reason: 'So can those of one connection',
      input: agentSwitch.SetReadOnly,
      output: Connection.schema,
    },
    agentSwitch.setReadOnly,
  ),
  get(
    '/mcp/connection/usage',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'What the client of a connection used in the last hour, and may use',
      reason: 'Agents have budgets',
      input: ById,
      output: z.array(connectionBudget.ConnectionUsage),
    },
    connectionBudget.usage,
  ),
  post(
    '/mcp/connection/budgets/replace',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Sets the budgets of a connection that differ from the default',
      reason: 'Those of a connection can differ',
      input: connectionBudget.SetBudgets,
      output: Done,
    },
    connectionBudget.setBudgets,
  ),
];
