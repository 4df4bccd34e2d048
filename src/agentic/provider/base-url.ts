import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { Text } from '../../kernel/input/text.ts';

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

/** Throws EgressRefused (422) for an address that the egress guard would refuse for requests too. */
export function expectReachable({ egress }: App, baseUrl: string): void {
  egress.provider.agentFor(new URL(baseUrl));
}
