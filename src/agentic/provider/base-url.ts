import { z } from 'zod';

import type { App } from '../../kernel/app/app.ts';
import { Text } from '../../kernel/input/text.ts';

/** Address of a provider: http or https, only a path after the host; trailing slashes are removed. */
export const BaseUrl = Text(512).transform((text, context) => {
  const url = URL.parse(text);
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !url.username &&
    !url.password &&
    !url.search &&
    !url.hash;
  if (isPlain) return url.href.replace(/\/+$/, '');
  context.addIssue({
    code: 'custom',
    message: 'must be an http or https address without user name, query or fragment',
  });
  return z.NEVER;
});

/** Throws EgressRefused (422) for an address that the egress guard would refuse for requests too. */
export function expectReachable({ egress }: App, baseUrl: string): void {
  egress.provider.agentFor(new URL(baseUrl));
}
