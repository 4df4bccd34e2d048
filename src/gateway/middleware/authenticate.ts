import type { Request, Response } from 'express';
import { z } from 'zod';

import { noteCredential } from '../../auth/audit/credential.ts';
import { authenticateLogin, type LoginHeaders } from '../../auth/login/login.ts';
import { CURRENT_PATH } from '../../auth/login/routes.ts';
import { authenticateSession, isProof, sessionCookie } from '../../auth/login/session.ts';
import { tokenCookie, tokenInCookie } from '../../auth/login/token-cookie.ts';
import { authenticateBearer } from '../../auth/oauth/store/bearer.ts';
import { sourceAt } from '../../auth/oauth/store/body.ts';
import { addressAsked, metadataUrlOf } from '../../auth/permission/audience.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import { NotAuthenticated, WrongAudience } from '../../kernel/errors.ts';
import { storable } from '../../kernel/input/text.ts';
import { cookieOf } from './cookies.ts';
import { demandOrigin } from './cross-origin.ts';
import { missing } from './missing.ts';
import { isFromOwnPage } from './own-pages.ts';

const TokenHeader = z.object({ salt: z.string().max(64), token: z.string().max(4096) });

/** Identifies the caller of a request; null for an anonymous call. */
export type Identify = (req: Request, res: Response) => Promise<Caller | null>;

/**
 * Identifies the caller by the three login headers, a bearer token or else the cookie of a session
 * (docs/specification/trust.md 1).
 */
export const identification =
  (app: App): Identify =>
  async (req, res) => {
    // Set for every unidentified caller: a 401 carries the challenge (RFC 6750 3).
    const challenged = (error?: NotAuthenticated): void => {
      if (!res.headersSent) res.set('WWW-Authenticate', challenge(app, req, error));
    };
    const caller = await callerIn(app, req).catch((error: unknown) => {
      if (error instanceof NotAuthenticated) {
        challenged(error);
        noteCredential(app, { door: 'rest', source: sourceAt(res), error, ...shownIn(req) });
      }
      throw error;
    });
    if (!caller) challenged();
    else demandOrigin(res, caller);
    return caller;
  };

/** What an audit row says of a credential that was refused: where, of which kind, and the names that came with it. */
function shownIn(req: Request) {
  const [, bearer] = /^Bearer +(.{1,4096})$/i.exec(req.get('authorization') ?? '') ?? [];
  const [tenant, login] = [req.get('x-auth-tenant'), req.get('x-auth-login')];
  const isLogin = tenant !== undefined || login !== undefined;
  return {
    place: placeOf(req),
    ...(bearer !== undefined && !isLogin && { bearer }),
    detail: isLogin ? { kind: 'login', tenant: named(tenant), login: named(login) } : {},
  };
}

const MAX_NAMED = 64;
const named = (text = ''): string => storable(text.slice(0, MAX_NAMED));

async function callerIn(app: App, req: Request): Promise<Caller | null> {
  const [tenant, login, token] = [
    req.get('x-auth-tenant'),
    req.get('x-auth-login'),
    req.get('x-auth-token'),
  ];
  if (tenant !== undefined || login !== undefined || token !== undefined) {
    if (!tenant || !login) throw missing({ tenant, login, token });
    const parsed = token ? parseToken(token) : keptToken(app, req);
    if (!parsed) throw missing({ tenant, login, token });
    return authenticateLogin(app, { tenant, login, token: parsed });
  }
  const bearer = /^Bearer +([\w\-.~+/]{1,4096}=*)$/i.exec(req.get('authorization') ?? '');
  if (bearer?.[1]) return authenticateBearer(app, bearer[1], 'api');
  if (req.get('authorization') !== undefined) throw new NotAuthenticated();
  return sessionCaller(app, req);
}

/**
 * The token of a web client that keeps none (docs/specification/login.md, Login of web clients); null without one. The
 * two other headers are what no page of another site can send along without having asked first.
 */
function keptToken(app: App, req: Request): LoginHeaders['token'] | null {
  const value = cookieOf(req, tokenCookie(app.config));
  if (value === null) return null;
  if (!isFromOwnPage(app, req))
    throw new NotAuthenticated('A page of another site sent this: its login does not count');
  return tokenInCookie(value);
}

/**
 * The person behind the cookie of a session; null without one. A browser sends cookies whatever page asked, so the
 * request must carry the proof that only pages of the platform can read, and come from no other site. The call that
 * answers the proof changes nothing and needs none.
 */
async function sessionCaller(app: App, req: Request): Promise<Caller | null> {
  const token = cookieOf(req, sessionCookie(app.config));
  if (token === null) return null;
  if (!isFromOwnPage(app, req))
    throw new NotAuthenticated('A page of another site sent this: its session does not count');
  const isProven =
    `${req.method} ${req.baseUrl}${req.path}` === `GET /api/v3/auth${CURRENT_PATH}` ||
    isProof(app, token, req.get('x-svc-proof') ?? '');
  if (!isProven)
    throw new NotAuthenticated(
      'The header X-Svc-Proof is missing or wrong: GET /api/v3/auth/session/current answers it',
    );
  return authenticateSession(app, token);
}

/** Points a client to a token for the API, as `/mcp` does to a token for MCP (RFC 9728 5.1). */
function challenge(app: App, req: Request, error?: NotAuthenticated): string {
  const given = req.headers.authorization === undefined ? '' : 'error="invalid_token", ';
  const why = error instanceof WrongAudience ? `error_description="${error.message}", ` : '';
  return `Bearer ${given}${why}resource_metadata="${metadataUrlOf('api', addressAsked(app, req))}"`;
}

function parseToken(header: string): z.infer<typeof TokenHeader> {
  try {
    return TokenHeader.parse(JSON.parse(header));
  } catch {
    throw new NotAuthenticated(
      'The header X-Auth-Token must be {"salt":"…","token":"…"}, the salt and the token of a login',
    );
  }
}

/** Method and path of a request, without its query. */
export const placeOf = ({ method, originalUrl }: Request): string =>
  `${method} ${originalUrl.split('?', 1)[0]}`;

/** The caller that `admitting` (src/gateway/mount/mount.ts) set for this request. */
export function callerOf(res: Response): Caller {
  const caller: Caller | undefined = res.locals['caller'];
  if (!caller) throw new NotAuthenticated();
  return caller;
}
