import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

import type { Caller, Tool } from '../app.ts';
import type { Whitelist } from '../auth/connection/whitelist.ts';
import { allows } from '../auth/rights/permission.ts';

/** A tool or resource under the name by which connections list it. */
export type Offer = Pick<Tool, 'name' | 'permission' | 'scope'>;

export type Limited = Caller & { connection?: Whitelist };

/** Throws with the reason why the connection has ended: an empty list would look like missing permissions. */
export function refuseEnded({ connection }: Limited): void {
  if (connection?.ended)
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, connection.ended);
}

export const isPermitted = (caller: Limited, offer: Offer): boolean =>
  allows(caller, offer.permission);
/** A connection lists what its client may use; without a connection there is no such limit. */
const isListed = ({ connection }: Limited, offer: Offer): boolean =>
  connection?.tools?.has(offer.name) ?? true;
export const mayUse = (caller: Limited, offer: Offer): boolean =>
  isPermitted(caller, offer) && isListed(caller, offer);
export const hasScope = (caller: Caller, offer: Offer): boolean =>
  caller.scopes?.includes(offer.scope) ?? true;
