import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { answer, AnswerExt, AnswerId, Time } from '../../kernel/entity/answer.ts';
import { Id, IdOrZero } from '../../kernel/input/id.ts';
import { filters } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { auditRows, auditTable, page, span } from '../audit/audit-rows.ts';
import { RiskLevel } from './tool.ts';

/** A call over MCP, without its arguments. */
export const McpAudit = answer('McpAudit', {
  id: AnswerId,
  traceId: z.string(),
  tenantId: AnswerId,
  principalId: AnswerId,
  principalType: z.enum(['USER', 'SERVICE_ACCOUNT']),
  clientId: z.string().describe('The OAuth client, or the prefix of the key'),
  connectionId: AnswerId.describe('0: none limits the client'),
  toolId: z.string().describe('Empty for an unknown tool'),
  toolName: z.string().meta({ examples: ['list_devices'] }),
  permissionCode: z.string().meta({ examples: ['svc-center-manager:device:list'] }),
  riskLevel: RiskLevel,
  confirmId: z.string(),
  idempotencyKey: z.string(),
  argumentDigest: z.string().describe('SHA-256 of the arguments as JSON'),
  status: z.enum(['SUCCESS', 'DENIED', 'POLICY_DENIED', 'ERROR', 'UNKNOWN']),
  errorCode: z.string().meta({ examples: ['R404'] }),
  durationMs: z.string().meta({ examples: ['37'] }),
  clientName: z.string().describe('As the client calls itself'),
  clientVersion: z.string(),
  remoteIp: z.string(),
  auditExt: AnswerExt,
  createTime: Time,
});
type McpAudit = z.output<typeof McpAudit.schema>;

const filter = {
  principalId: Id.optional(),
  clientId: Text(128).optional(),
  connectionId: IdOrZero.optional(),
  toolId: Text(128).optional(),
  status: Text(64).optional(),
  errorCode: Text(64).optional(),
  riskLevel: RiskLevel.optional(),
  remoteIp: Text(64).optional(),
  traceId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
    .optional(),
};

export const McpAuditQuery = filters({ ...filter, ...page });
export const McpAuditExport = filters({ ...filter, ...span });

/** The tenant's calls over MCP, newest first. Throws BadRequest for a cursor that is no row of them. */
export const list: Operation<z.infer<typeof McpAuditQuery>, McpAudit[]> = (
  app,
  { tenantId },
  { from, to, cursor, limit, ...wanted },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const asked = { from, to, cursor, limit, filter: wanted };
    const rows = await auditRows(q, 'svc_mcp_audit_log', tenantId, asked);
    return rows.map(McpAudit.of);
  });

/** The same as a table (CSV), of at most 366 days. */
export const exportAudit: Operation<z.infer<typeof McpAuditExport>, AsyncIterable<string>> = async (
  app,
  caller,
  given,
) => auditTable(app, given, TITLES, (at) => list(app, caller, { ...given, ...at }));

const TITLES = [
  'createTime',
  'id',
  'principalType',
  'principalId',
  'clientId',
  'connectionId',
  'clientName',
  'clientVersion',
  'toolName',
  'permissionCode',
  'riskLevel',
  'status',
  'errorCode',
  'durationMs',
  'remoteIp',
  'traceId',
  'confirmId',
  'idempotencyKey',
  'argumentDigest',
  'auditExt',
] as const;
