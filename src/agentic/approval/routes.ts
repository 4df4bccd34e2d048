import { z } from 'zod';

import { get, post, type Route } from '../../kernel/app/route.ts';
import * as approval from './approval.ts';
import { Make, Preview } from './maker.ts';
import * as approvalSwitch from './switch.ts';
import { Approval, ApprovalView } from './view.ts';

/** Writes of agents that people approved beforehand. */
export const routes: readonly Route[] = [
  post(
    '/approval/preview',
    {
      needs: 'approval:get',
      scope: 'interactive',
      risk: 'read',
      summary: 'The card of a standing approval before it is approved; interactive login only',
      reason: 'docs/specification/actions.md, Standing approvals',
      input: Preview,
      output: ApprovalView,
    },
    approval.preview,
  ),
  post(
    '/approval/add',
    {
      needs: 'approval:add',
      scope: 'interactive',
      risk: 'device',
      summary: 'Approve writes of an agent beforehand, by the digest of the card',
      reason: 'docs/specification/actions.md, Standing approvals',
      input: Make,
      output: Approval,
    },
    approval.make,
  ),
  post(
    '/approval/revoke',
    {
      needs: 'approval:delete',
      scope: 'interactive',
      risk: 'update',
      summary: 'End a standing approval at once',
      reason: 'docs/specification/actions.md, Standing approvals',
      input: approval.Revoke,
      output: Approval,
    },
    approval.revoke,
  ),
  post(
    '/approval/list',
    {
      needs: 'approval:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Standing approvals of the tenant with what is left of them',
      reason: 'docs/specification/actions.md, Standing approvals',
      input: approval.OfAgent,
      output: z.array(Approval),
    },
    approval.list,
  ),
  get(
    '/approval/get',
    {
      needs: 'approval:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'One standing approval',
      reason: 'docs/specification/actions.md, Standing approvals',
      input: approval.ByApprovalId,
      output: Approval,
    },
    approval.byId,
  ),
  get(
    '/approval/switch/get',
    {
      needs: 'approval:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Whether standing approvals decide in this tenant',
      reason: 'docs/specification/actions.md, Standing approvals',
      input: z.unknown(),
      output: approvalSwitch.ApprovalSwitch,
    },
    approvalSwitch.get,
  ),
  post(
    '/approval/switch/set',
    {
      needs: 'approval:enable',
      scope: 'interactive',
      risk: 'update',
      summary: 'Turn standing approvals of the tenant on or off; interactive login only',
      reason: 'docs/specification/actions.md, Standing approvals',
      input: approvalSwitch.SetSwitch,
      output: approvalSwitch.ApprovalSwitch,
    },
    approvalSwitch.set,
  ),
];
