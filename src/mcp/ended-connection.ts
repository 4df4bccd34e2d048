import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

import type { Limited } from '../auth/connection/denial.ts';

/** Throws with the reason why the connection has ended: an empty list would look like missing permissions. */
export function refuseEnded({ connection }: Limited): void {
  if (connection?.ended)
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, connection.ended);
}
