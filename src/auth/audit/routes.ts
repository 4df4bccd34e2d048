import { z } from 'zod';

import { Pieces, post, type Route } from '../../kernel/app/route.ts';
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
  {
    ...post(
      '/identity_audit/export',
      {
        needs: 'audit:list',
        scope: 'interactive',
        risk: 'read',
        summary: 'The same as a table (text/csv), of at most 366 days',
        reason: 'docs/specification/identity.md, Accounts',
        input: identityAudit.AuditExport,
        output: Pieces,
      },
      identityAudit.exportAudit,
    ),
    csv: 'stream',
  },
];
