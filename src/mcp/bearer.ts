import {
  bearerAuthChallengeResponse,
  OAuthError,
  OAuthErrorCode,
} from '@modelcontextprotocol/server';
import type { Request } from 'express';

import type { App, Caller } from '../app.ts';
import { metadataUrlOf } from './protected-resource.ts';

/** The bearer token of the Authorization header (RFC 6750 2.1), the only place one is accepted. */
export function bearerToken(request: Request): string | null {
  const header = request.get('authorization') ?? '';
  return /^Bearer +([\w\-.~+/]{1,4096}=*) *$/i.exec(header)?.[1] ?? null;
}

/** The WWW-Authenticate header of a 401; without a token it carries no error code (RFC 6750 3.1). */
export function challenge(app: App, given: boolean): string {
  const parameters = [
    ...(given ? ['error="invalid_token"', 'error_description="The token is not valid here"'] : []),
    `resource_metadata="${metadataUrlOf(app)}"`,
    'scope="svc:read"',
  ];
  return `Bearer ${parameters.join(', ')}`;
}

/** 403 that names every scope a client should ask for next (RFC 6750 3.1, MCP step-up). */
export const stepUp = (app: App, caller: Caller, scope: string): Response =>
  bearerAuthChallengeResponse(
    new OAuthError(OAuthErrorCode.InsufficientScope, `This needs the scope ${scope}`),
    {
      requiredScopes: [...new Set([...(caller.scopes ?? []), scope])],
      resourceMetadataUrl: metadataUrlOf(app),
    },
  );
