import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { answer, AnswerExt, AnswerId, Time } from '../../kernel/entity/answer.ts';
import { IdOrZero } from '../../kernel/input/id.ts';
import { filters } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { auditRows, auditTable, page, span } from './audit-rows.ts';

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

const filter = {
  principalId: IdOrZero.optional(),
  action: Text(64).optional(),
  resourceType: Text(64).optional(),
  resourceId: Text(128).optional(),
  status: Text(64).optional(),
  errorCode: Text(64).optional(),
  source: Text(64).optional(),
};

export const AuditQuery = filters({ ...filter, ...page });
export const AuditExport = filters({ ...filter, ...span });

/** The tenant's identity audit log, newest first. Throws BadRequest for a cursor that is no row of it. */
export const list: Operation<z.infer<typeof AuditQuery>, IdentityAudit[]> = (
  app,
  { tenantId },
  { from, to, cursor, limit, ...wanted },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const asked = { from, to, cursor, limit, filter: wanted };
    const rows = await auditRows(q, 'svc_identity_audit_log', tenantId, asked);
    return rows.map(IdentityAudit.of);
  });

/** The same as a table (CSV), of at most 366 days. */
export const exportAudit: Operation<z.infer<typeof AuditExport>, AsyncIterable<string>> = async (
  app,
  caller,
  given,
) => auditTable(app, given, TITLES, (at) => list(app, caller, { ...given, ...at }));

const TITLES = [
  'createTime',
  'id',
  'principalType',
  'principalId',
  'action',
  'resourceType',
  'resourceId',
  'resourceName',
  'status',
  'errorCode',
  'source',
  'detailExt',
] as const;
