import type { Caller, Tool } from '../../kernel/app/app.ts';
import { allows } from '../permission/permission.ts';
import type { Whitelist } from './whitelist.ts';

/** A tool or resource under the name by which connections list it. */
export type Offer = Pick<Tool, 'name' | 'permission' | 'scope' | 'opens'>;

/** A caller with the connection of its client; without a connection only rights and scopes limit it. */
export type Limited = Caller & { connection?: Whitelist };

/** What keeps the caller from the offer, the weightiest first; null when it may use it. */
export type Denial = 'permission' | 'connection' | 'scope';

export function denialOf(caller: Limited, offer: Offer): Denial | null {
  if (offer.opens)
    return offer.opens.tools.some((tool) => denialOf(caller, tool) === null) ? null : 'permission';
  if (!allows(caller, offer.permission)) return 'permission';
  if (!(caller.connection?.tools?.has(offer.name) ?? true)) return 'connection';
  if (!(caller.scopes?.includes(offer.scope) ?? true)) return 'scope';
  return null;
}
