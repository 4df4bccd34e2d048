import { z } from 'zod';

import { defineTool, READS } from './shape/define.ts';
import { Visible } from './shape/text.ts';

export const userTools = [
  defineTool({
    name: 'getCurrentUserProfile',
    title: 'Current user',
    domain: 'User',
    listed: 'direct',
    description: 'Returns who you act for: the user or service account, and what it may do here.',
    permission: 'svc-center-auth:user:get',
    scope: 'svc:read',
    input: z.strictObject({}),
    output: z.object({
      userId: z.string(),
      userName: Visible(),
      type: z.string(),
      via: z.string(),
      scopes: z.array(z.string()).nullable().describe('null: not limited by scopes'),
    }),
    annotations: READS,
    async run(_app, caller) {
      return {
        userId: caller.principalId,
        userName: caller.name,
        type: caller.principalType,
        via: caller.via,
        scopes: caller.scopes ? [...caller.scopes] : null,
      };
    },
  }),
];
