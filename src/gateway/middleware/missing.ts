import { NotAuthenticated } from '../../kernel/errors.ts';

const HEADERS = { tenant: 'X-Auth-Tenant', login: 'X-Auth-Login', token: 'X-Auth-Token' } as const;

type Given = { [K in keyof typeof HEADERS]?: string | undefined };

/**
 * 401 that names the missing or empty headers of a login (docs/specification/login.md, Headers on protected
 * calls).
 */
export function missing({ tenant, login, token }: Given = {}): NotAuthenticated {
  const given = { tenant, login, token };
  const names = (['tenant', 'login', 'token'] as const)
    .filter((part) => !given[part])
    .map((part) => HEADERS[part]);
  if (names.length === Object.keys(HEADERS).length)
    return new NotAuthenticated(
      `The headers ${HEADERS.tenant}, ${HEADERS.login} and ${HEADERS.token} of a login are missing, or Authorization with a bearer token`,
    );
  const last = names.pop();
  return new NotAuthenticated(
    names.length > 0
      ? `The headers ${names.join(', ')} and ${last} are missing`
      : `The header ${last} is missing`,
  );
}
