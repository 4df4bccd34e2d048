import type { Caller, Tool } from '../../kernel/app/app.ts';
import { allows } from '../permission/permission.ts';
import type { Whitelist } from './whitelist.ts';

/** A tool or resource under the name by which connections list it. */
export type Offer = Pick<Tool, 'name' | 'permission' | 'scope' | 'opens'> & { isTool?: false };

/** What a request asks to be kept from, beyond all rights: it can take away only. */
export type Narrowing = {
  readOnly: boolean;
  /** By name; null: all. Resources are not among them. */
  tools: ReadonlySet<string> | null;
};

/** A caller with the connection of its client; without a connection only rights and scopes limit it. */
export type Limited = Caller & { connection?: Whitelist; narrowing?: Narrowing };

/** What keeps the caller from the offer, the weightiest first; null when it may use it. */
export type Denial = 'permission' | 'connection' | 'scope';

export function denialOf(caller: Limited, offer: Offer): Denial | null {
  if (offer.opens)
    return offer.opens.tools.some((tool) => denialOf(caller, tool) === null) ? null : 'permission';
  if (!allows(caller, offer.permission)) return 'permission';
  if (!(caller.connection?.tools?.has(offer.name) ?? true)) return 'connection';
  if (caller.narrowing && isNarrowedAway(caller.narrowing, offer)) return 'connection';
  if (!(caller.scopes?.includes(offer.scope) ?? true)) return 'scope';
  return null;
}

function isNarrowedAway({ readOnly, tools }: Narrowing, offer: Offer): boolean {
  if (readOnly && offer.scope === 'svc:propose') return true;
  return tools !== null && offer.isTool !== false && !tools.has(offer.name);
}
