import { z } from 'zod';

import { post, type Route } from '../../route.ts';
import * as identityAudit from './identity-audit.ts';

/** The identity audit log (docs/specification/identity.md, Audit). */
export const routes: readonly Route[] = [
  post(
    '/identity_audit/list',
    {
      needs: 'audit:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'What happened to identities of the tenant',
      input: identityAudit.AuditQuery,
      output: z.array(identityAudit.IdentityAudit.schema),
    },
    identityAudit.list,
  ),
];
