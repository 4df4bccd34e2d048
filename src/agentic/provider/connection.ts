import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { PROXY_FORM, proxyIn } from '../../kernel/egress/proxy-address.ts';
import type { HttpProxy } from '../../kernel/egress/tunnel.ts';
import { Text } from '../../kernel/input/text.ts';
import { type Keys, seal, unseal } from '../../kernel/secret.ts';

const MAX_HEADERS = 16;
/** Of the connection and of the request itself; what a client sets there could take the body for another one. */
const OWN =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept|accept-encoding|proxy-.*|x-forwarded-.*|forwarded|cookie)$/;

/**
 * Address of a provider: http or https, a path after the host, and `?api-version=` where its vendor wants one; trailing
 * slashes are removed. Another query may hold a secret, which the address is not.
 */
export const BaseUrl = Text(512).transform((text, context) => {
  const url = URL.parse(text);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !url.username &&
    !url.password &&
    [...url.searchParams.keys()].every((name) => name === 'api-version') &&
    !url.hash;
  if (isPlain) return `${url.origin}${url.pathname.replace(/\/+$/, '')}${url.search}`;
  context.addIssue({
    code: 'custom',
    message:
      'must be an http or https address without user name, fragment, and query but api-version',
  });
  return z.NEVER;
});

/** An HTTP proxy as it is given (src/kernel/egress/proxy-address.ts). */
export const GivenProxy = Text(1_024).transform((text, context): HttpProxy => {
  const proxy = proxyIn(text);
  if (proxy) return proxy;
  context.addIssue({ code: 'custom', message: PROXY_FORM });
  return z.NEVER;
});

type Addresses = { baseUrl?: string | undefined; proxy?: HttpProxy | null | undefined };

/** Throws EgressRefused (422) for an address that the egress guard would refuse for requests too. */
export function expectReachable({ egress }: App, { baseUrl, proxy }: Addresses): void {
  for (const address of [baseUrl, proxy?.url])
    if (address !== undefined) egress.provider.agentFor(new URL(address));
}

/** RFC 9110, 5.1 and 5.5: names are tokens, values here printable ASCII. */
export const Headers = z
  .record(
    z
      .string()
      .max(64)
      .regex(/^[a-zA-Z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header')
      .toLowerCase()
      .refine((name) => !OWN.test(name), 'is set by the platform'),
    z
      .string()
      .min(1)
      .max(2_048)
      .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= MAX_HEADERS, `at most ${MAX_HEADERS}`);
export type Headers = z.output<typeof Headers>;

type Row = { tenantId: string; id: string };

/** Place that a sealed key is bound to: copied into another row or tenant, the text cannot be opened. */
export const placeOf = ({ tenantId, id }: Row) => ({ table: 'svc_model_provider', tenantId, id });

/** Columns of what is given; the values are bound to the row, as its key is. */
export const headerColumns = (keys: Keys, row: Row, headers: Headers) => ({
  headerNames: JSON.stringify(Object.keys(headers).toSorted()),
  headers:
    Object.keys(headers).length === 0
      ? ''
      : seal(keys.providerKey, placeOf(row), JSON.stringify(headers)),
});

/** The headers of a row; null where they cannot be opened. */
export function headersOf(keys: Keys, row: Row & { headers: string }): Headers | null {
  if (row.headers === '') return {};
  const text = unseal(keys.providerKey, placeOf(row), row.headers);
  return text === null ? null : (Headers.safeParse(JSON.parse(text)).data ?? null);
}

/** Columns of a proxy; null: none. */
export const proxyColumns = (keys: Keys, row: Row, proxy: HttpProxy | null) => ({
  proxy: proxy?.url ?? '',
  proxyLogin: proxy?.login ? seal(keys.providerKey, placeOf(row), proxy.login) : '',
});

/** The proxy of a row; null where it has none, undefined where its login cannot be opened. */
export function proxyOf(
  keys: Keys,
  row: Row & { proxy: string; proxyLogin: string },
): HttpProxy | null | undefined {
  if (row.proxy === '') return null;
  if (row.proxyLogin === '') return { url: row.proxy, login: '' };
  const login = unseal(keys.providerKey, placeOf(row), row.proxyLogin);
  return login === null ? undefined : { url: row.proxy, login };
}
