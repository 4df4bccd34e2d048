import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import { AnswerId, Done } from '../../kernel/entity/answer.ts';
import { ById } from '../../kernel/input/input.ts';
import * as budget from './budget.ts';
import * as usage from './usage-list.ts';

/** What the chat used, and what it may use. */
export const routes: readonly Route[] = [
  get(
    '/usage/list',
    {
      needs: 'usage:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Requests to models with their tokens, cost and time, at most 92 days',
      reason: 'docs/specification/assistant.md, Usage',
      input: usage.ListSteps,
      output: usage.Steps,
    },
    usage.list,
  ),
  get(
    '/usage/summary',
    {
      needs: 'usage:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Tokens, cost and time by model, person, key, end user or day',
      reason: 'docs/specification/assistant.md, Usage',
      input: usage.SumSteps,
      output: z.array(usage.ChatUsage.schema),
    },
    usage.summary,
  ),
  get(
    '/usage/budget/list',
    {
      needs: 'usage:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Budgets of the chat, with what is used of them',
      reason: 'docs/specification/assistant.md, Usage',
      input: budget.ListBudgets,
      output: z.array(budget.ChatBudget.schema),
    },
    budget.list,
  ),
  post(
    '/usage/budget/add',
    {
      needs: 'usage:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Set what the chat may use in an hour, a day or a month, in place of what was set',
      reason: 'docs/specification/assistant.md, Usage',
      input: budget.AddBudget,
      output: AnswerId,
    },
    budget.add,
  ),
  post(
    '/usage/budget/delete',
    {
      needs: 'usage:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Delete a budget of the chat',
      reason: 'docs/specification/assistant.md, Usage',
      input: ById,
      output: Done,
    },
    budget.remove,
  ),
];
