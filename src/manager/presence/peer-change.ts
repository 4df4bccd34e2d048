import { type RawBuilder, sql } from 'kysely';

import type { Payload } from '../../bus/topic/topics.ts';

type Reported = Payload<'svc.e.state'>['devices'][number];
type Serving = Extract<Payload<'svc.e.metadata'>, { kind: 'serving' }>;

/** Address of a device that registered at a copy of a driver, as sent to that copy. */
export type Peer = NonNullable<Serving['devices'][number]['peer']>;

/** The address of each device, the claim of its name and the last change of address, as rows to join. */
export const peersOf = (devices: readonly Reported[]) => ({
  hosts: sql`${devices.map(({ peer }) => peer?.host ?? '')}::text[]`,
  claims: sql`${devices.map(({ peer }) => peer?.claim ?? '0')}::bigint[]`,
  changes: sql`${devices.map(({ peer }) => (peer?.change ? JSON.stringify(peer.change) : null))}::text[]`,
});

/**
 * Columns for a device's address and its last change. A copy of the driver reports the changes it saw. A
 * change between two copies, which neither can see, is found here; so a change stays with the device until
 * its name is claimed anew, at whatever copy.
 */
export const followPeer = (now: number): RawBuilder<unknown> => sql`
      peer_host = excluded.peer_host,
      peer_claim = case when excluded.peer_host = '' then s.peer_claim else excluded.peer_claim end,
      peer_change = case
        when excluded.peer_host = '' then s.peer_change
        when excluded.peer_claim <> s.peer_claim then excluded.peer_change
        when s.peer_host in ('', excluded.peer_host) or excluded.peer_change ->> 'from' = s.peer_host
          and excluded.peer_change ->> 'to' = excluded.peer_host
          then coalesce(excluded.peer_change, s.peer_change)
        else jsonb_build_object('id', gen_random_uuid(), 'from', s.peer_host,
          'to', excluded.peer_host, 'at', ${now}::bigint) end`;
