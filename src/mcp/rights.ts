import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

import type { Caller, Tool } from '../app.ts';
import type { Whitelist } from '../auth/connection/whitelist.ts';
import { allows } from '../auth/rights/permission.ts';

/** What the door hands out, by the name under which a connection lists it: a tool or a resource. */
export type Offer = Pick<Tool, 'name' | 'permission' | 'scope'>;

export type Limited = Caller & { connection?: Whitelist };

/** Refuses a client by the words why its connection has ended: an empty list would look like no rights. */
export function refuseEnded({ connection }: Limited): void {
  if (connection?.ended)
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, connection.ended);
}

export const isPermitted = (caller: Limited, offer: Offer): boolean =>
  allows(caller, offer.permission);
/** A connection names what its client may use; without one there is no such limit. */
const isListed = ({ connection }: Limited, offer: Offer): boolean =>
  connection?.tools?.has(offer.name) ?? true;
export const mayUse = (caller: Limited, offer: Offer): boolean =>
  isPermitted(caller, offer) && isListed(caller, offer);
export const hasScope = (caller: Caller, offer: Offer): boolean =>
  caller.scopes?.includes(offer.scope) ?? true;
