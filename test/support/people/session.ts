import { z } from 'zod';

import { expectDeclared } from '../cases/answer-check.ts';

export type Answer = {
  status: number;
  body: { ok: boolean; code: string; message: string; data?: unknown };
  headers: Headers;
};

/** An interactive login, used as a client would: over HTTP with the three headers. */
export type Session = {
  base: string;
  tenant: string;
  tenantId: string;
  principalId: string;
  headers: Record<string, string>;
  get(path: string, query?: Record<string, string>): Promise<Answer>;
  post(path: string, body?: unknown, query?: Record<string, string>): Promise<Answer>;
  /** The `data` of a call that must succeed. */
  data(path: string, body?: unknown, query?: Record<string, string>): Promise<unknown>;
};

const Envelope = z.object({
  ok: z.boolean(),
  code: z.string(),
  message: z.string(),
  data: z.unknown().optional(),
});
const TIMEOUT_MS = 30_000;

export async function request(
  base: string,
  method: 'GET' | 'POST',
  path: string,
  {
    body,
    query = {},
    headers = {},
  }: { body?: unknown; query?: Record<string, string>; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const url = new URL(`${base}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const isTable = response.headers.get('content-type')?.startsWith('text/csv') === true;
  const answer = {
    status: response.status,
    body: Envelope.parse(
      isTable
        ? { ok: true, code: 'R200', message: await response.text(), data: null }
        : await response.json(),
    ),
    headers: response.headers,
  };
  if (answer.body.ok && !isTable) expectDeclared(method, path, answer.body.data);
  return answer;
}

/** Salt, then token (docs/specification/login.md). */
export async function login(
  base: string,
  tenant: string,
  name: string,
  password: string,
): Promise<Session> {
  const salt = String(
    (await request(base, 'POST', '/api/v3/auth/token/salt', { body: { tenant, name } })).body.data,
  );
  const answer = await request(base, 'POST', '/api/v3/auth/token/generate', {
    body: { tenant, name, salt, password },
  });
  if (!answer.body.ok)
    throw new Error(`login of ${name} failed: ${answer.status} ${answer.body.code}`);
  const token = String(answer.body.data);
  const headers = {
    'x-auth-tenant': tenant,
    'x-auth-login': name,
    'x-auth-token': JSON.stringify({ salt, token }),
  };
  const [, claims = ''] = token.split('.');
  const { tenant_id: tenantId, principal_id: principalId } = z
    .object({ tenant_id: z.string(), principal_id: z.string() })
    .parse(JSON.parse(Buffer.from(claims, 'base64url').toString()));
  const get: Session['get'] = (path, query = {}) => request(base, 'GET', path, { query, headers });
  const post: Session['post'] = (path, body, query = {}) =>
    request(base, 'POST', path, { body, query, headers });
  return {
    base,
    tenant,
    tenantId,
    principalId,
    headers,
    get,
    post,
    async data(path, body, query) {
      const { status, body: envelope } =
        body === undefined ? await get(path, query) : await post(path, body, query);
      if (!envelope.ok)
        throw new Error(`${path} answered ${status} ${envelope.code}: ${envelope.message}`);
      return envelope.data;
    },
  };
}
