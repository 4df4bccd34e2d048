import {
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
} from '@modelcontextprotocol/server';
import type { Request } from 'express';

import { addressAsked, metadataUrlOf, SCOPES_OF } from '../../../auth/permission/audience.ts';
import type { App, Caller, Scope } from '../../../kernel/app/app.ts';
import { type NotAuthenticated, WrongAudience } from '../../../kernel/errors.ts';

/** The bearer token of the Authorization header (RFC 6750 2.1), the only place one is accepted. */
export function bearerToken(request: Request): string | null {
  const header = request.get('authorization') ?? '';
  return /^Bearer +([\w\-.~+/]{1,4096}=*) *$/i.exec(header)?.[1] ?? null;
}

/** The WWW-Authenticate header of a 401; without a token it carries no error code (RFC 6750 3.1). */
export function challenge(app: App, request: Request, error: NotAuthenticated): string {
  const given = request.headers.authorization !== undefined;
  const why = error instanceof WrongAudience ? error.message : 'The token is not valid here';
  const parameters = [
    ...(given ? ['error="invalid_token"', `error_description="${why}"`] : []),
    `resource_metadata="${metadataUrlOf('mcp', addressAsked(app, request))}"`,
    // The scopes an agent needs by default; the user may remove some on the consent page.
    `scope="${SCOPES_OF.mcp.join(' ')}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}

/** 403 that lists every scope the client should request next (RFC 6750 3.1, MCP step-up). */
export const stepUp = (app: App, request: Request, caller: Caller, scope: Scope): Response =>
  bearerAuthChallengeResponse(
    new OAuthError(OAuthErrorCode.InsufficientScope, `This needs the scope ${scope}`),
    {
      requiredScopes: [...new Set([...(caller.scopes ?? []), scope])],
      resourceMetadataUrl: metadataUrlOf('mcp', addressAsked(app, request)),
    },
  );
