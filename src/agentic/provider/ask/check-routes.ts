import { post, type Route } from '../../../kernel/app/route.ts';
import { check, CheckProvider, ProviderCheck } from './check.ts';

/** Route of the check of a provider. */
export const routes: readonly Route[] = [
  post(
    '/provider/config/check',
    {
      needs: 'provider:update',
      scope: 'interactive',
      risk: 'chat',
      summary: 'Ask a provider with its stored key for its models, and try what one of them can',
      reason: 'Whether a provider works and what its model can, before a chat finds out',
      input: CheckProvider,
      output: ProviderCheck,
    },
    check,
  ),
];
