import { z } from 'zod';

import { Id } from '../../kernel/input/id.ts';

/** Content of X-Auth-Principal (docs/specification/trust.md 2); unknown members are ignored. */
export const PrincipalClaims = z.object({
  principalId: Id,
  tenantId: Id,
  principalType: z.enum(['USER', 'SERVICE_ACCOUNT', 'SYSTEM']).default('USER'),
  displayName: z.string().default(''),
  principalName: z.string().default(''),
  clientId: z.string().optional(),
  // A signer that omits the kind of login gets no permission that needs an interactive one.
  via: z.enum(['login', 'oauth', 'key', 'model', 'system']).default('system'),
  scopes: z.array(z.string()).optional(),
  /** Milliseconds since the epoch; our gateway always writes them, another signer may omit them. */
  iat: z.number().optional(),
  exp: z.number().optional(),
  aud: z.string().optional(),
  jti: z.string().optional(),
});
export type PrincipalClaims = z.output<typeof PrincipalClaims>;
