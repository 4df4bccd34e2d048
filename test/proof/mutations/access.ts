import { breaks, type Mutation } from './mutation.ts';

/** Scopes, audiences, keys, and which name of this computer a login follows. */
export const access: readonly Mutation[] = [
  breaks(
    'src/gateway/mount/mount.ts',
    "if (scope === 'interactive') throw new Forbidden('This needs an interactive login');",
    "if (scope === 'interactive') return;",
    'api/scope-matrix',
    'opens over REST what declares it and nothing else',
  ),
  breaks(
    'src/gateway/mount/mount.ts',
    'if (scopes?.includes(scope)) return;',
    'if (scopes !== undefined) return;',
    'api/scope-matrix',
    'opens over REST what declares it and nothing else',
  ),
  breaks(
    'src/gateway/mount/mount.ts',
    "if (scopes === undefined && via !== 'oauth' && via !== 'key') return;",
    "if (scopes === undefined || via === 'key') return;",

    'api/scope-matrix',
    'opens over REST what declares it and nothing else',
  ),
  breaks(
    'src/auth/oauth/store/bearer.ts',
    'if (aud !== asked)',
    "if (aud === '')",
    'conformance/oauth-audience',
    'of MCP opens MCP only',
  ),
  breaks(
    'src/auth/oauth/consent.ts',
    '=> body[scope] === CHOSEN',
    '=> scope in body || CHOSEN',
    'conformance/oauth-audience',
    'gives what was left checked and nothing else',
  ),
  breaks(
    'src/auth/oauth/provider.ts',
    'if (now === undefined && isRefused) return undefined;',
    'if (now === undefined && isRefused) return grant;',
    'conformance/oauth-audience',
    'asks again for what was taken away before',
  ),
  breaks(
    'src/auth/permission/audience.ts',
    'if (!LOOPBACK.includes(hostname)) return [baseUrl];',
    'if (LOOPBACK.includes(hostname)) return [baseUrl];',
    'e2e/oauth-mcp',
    'registers, sends a person to the pages',
  ),
  breaks(
    'src/auth/credential/verify-key.ts',
    'resource: resourceOf(app, audience)',
    "resource: resourceOf(app, 'api')",
    'api/key',
    'works at its audience alone',
  ),
  breaks(
    'src/auth/credential/key.ts',
    'if (right !== undefined && !codes.has(right) && !codes.has(WILDCARD))',
    'if (right !== undefined && codes.size === 0)',
    'api/key',
    'has no scope its owner could not use',
  ),
  breaks(
    'src/auth/credential/key.ts',
    'if (Number(count) >= MAX_KEYS)',
    'if (Number(count) > MAX_KEYS)',
    'api/key',
    'is one of twenty at most',
  ),
  breaks(
    'src/auth/oauth/store/bearer.ts',
    'throw new WrongAudience(aud, asked, caller)',
    'throw new NotAuthenticated()',
    'conformance/oauth-audience',
    'that is the other one is named to its holder, until the token has ended',
  ),
];
