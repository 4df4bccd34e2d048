import type { App } from '../../app.ts';

/** What a token may be limited to (DESIGN.md, Identity and trust); none of them lets it confirm. */
export const SCOPES = ['svc:read', 'svc:read-device', 'svc:propose', 'svc:chat'] as const;
/** What a client gets that registers without asking for scopes: the least. */
export const DEFAULT_SCOPE = 'svc:read';

/** The one resource tokens are made for (RFC 8707), without a trailing slash. */
export const resourceOf = (app: App): string => `${app.config.baseUrl}/mcp`;
