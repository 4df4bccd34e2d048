import { denialOf, type Offer } from '../../auth/connection/denial.ts';
import type { App, Scope } from '../../kernel/app/app.ts';
import type { McpCaller } from '../request/caller.ts';
import { offerOf } from './resource-adapter.ts';

/** Names of the tools and resources that only a missing scope hides from the caller, by that scope. */
export type FurtherScopes = Partial<Record<Scope, string[]>>;

export function furtherScopes(
  { tools, resources }: Pick<App, 'tools' | 'resources'>,
  caller: McpCaller,
): FurtherScopes {
  const further: FurtherScopes = {};
  for (const offer of [...tools, ...resources.map(offerOf)] satisfies Offer[]) {
    if (denialOf(caller, offer) !== 'scope') continue;
    (further[offer.scope] ??= []).push(offer.name);
  }
  return further;
}

/** The same as text for a model; empty when no scope is missing. */
export function furtherWords(further: FurtherScopes): string {
  const parts = Object.entries(further).map(
    ([scope, names]) => `${scope} opens ${names.join(', ')}`,
  );
  if (parts.length === 0) return '';
  return ` Not listed because the token lacks a scope: ${parts.join('; ')}. Calling one makes the client ask the person for it.`;
}
