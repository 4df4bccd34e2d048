import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { Text } from '../../core/input/text.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { answer, AnswerExt, AnswerId, Time } from '../../entity/answer.ts';

/** Row limit of lists without pages (docs/specification/identity.md, Audit): clamped, not refused. */
export const Limit = z.coerce
  .number()
  .int()
  .default(200)
  .transform((limit) => Math.min(Math.max(limit, 1), 500));

export const IdentityAudit = answer('IdentityAudit', {
  id: AnswerId,
  tenantId: AnswerId,
  principalId: AnswerId.describe('0: the command line'),
  principalType: z.string().meta({ examples: ['USER'] }),
  action: z.string().meta({ examples: ['RESET_PASSWORD'] }),
  resourceType: z.string().meta({ examples: ['LOCAL_CREDENTIAL'] }),
  resourceId: AnswerId,
  resourceName: z.string().meta({ examples: ['anna.berg'] }),
  status: z.string().meta({ examples: ['SUCCESS'] }),
  errorCode: z.string(),
  detailExt: AnswerExt,
  source: z.string().describe('The address that the call came from; empty where there was none'),
  createTime: Time,
});
type IdentityAudit = z.output<typeof IdentityAudit.schema>;

export const AuditQuery = input({
  principalId: Id.optional(),
  action: Text(64).optional(),
  resourceType: Text(64).optional(),
  resourceId: Id.optional(),
  status: Text(64).optional(),
  limit: Limit,
});

/** The tenant's identity audit log, newest first. */
export const list: Operation<z.infer<typeof AuditQuery>, IdentityAudit[]> = (
  app,
  { tenantId },
  { limit, ...filter },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    let found = q
      .selectFrom('svc_identity_audit_log')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('createTime', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    for (const name of ['principalId', 'action', 'resourceType', 'resourceId', 'status'] as const) {
      const wanted = filter[name];
      if (wanted !== undefined) found = found.where(name, '=', wanted);
    }
    return (await found.execute()).map(IdentityAudit.of);
  });
