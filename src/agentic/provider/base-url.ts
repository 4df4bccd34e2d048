import { z } from 'zod';

import type { App } from '../../app.ts';
import { Text } from '../../core/input/text.ts';

/** Where a provider is: http or https, nothing but a path behind the host; without the slash at its end. */
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

/** Refuses an address that requests would not be sent to either; throws EgressRefused (422). */
export function expectReachable({ egress }: App, baseUrl: string): void {
  egress.provider.agentFor(new URL(baseUrl));
}
