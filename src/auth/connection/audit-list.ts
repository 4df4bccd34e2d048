import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { Id } from '../../core/input/id.ts';
import { input } from '../../core/input/input.ts';
import { Text } from '../../core/input/text.ts';
import { inOneTrip } from '../../db/tenant.ts';
import { answer, AnswerExt, AnswerId, Time } from '../../entity/answer.ts';
import { Limit } from '../audit/identity-audit.ts';
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

export const McpAuditQuery = input({
  principalId: Id.optional(),
  toolId: Text(128).optional(),
  status: Text(64).optional(),
  riskLevel: RiskLevel.optional(),
  traceId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits')
    .optional(),
  limit: Limit,
});

/** The tenant's calls over MCP, newest first. */
export const list: Operation<z.infer<typeof McpAuditQuery>, McpAudit[]> = (
  app,
  { tenantId },
  { limit, ...filter },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    let found = q
      .selectFrom('svc_mcp_audit_log')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('createTime', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    for (const name of ['principalId', 'toolId', 'status', 'riskLevel', 'traceId'] as const) {
      const wanted = filter[name];
      if (wanted !== undefined) found = found.where(name, '=', wanted);
    }
    return (await found.execute()).map(McpAudit.of);
  });
