import type { Clock } from '../../../src/kernel/clock.ts';
import type { CoapReply, CoapRequest, Peer } from '../../coap/contract.ts';
import type { Admit } from '../../coap/incoming.ts';
import type { Registration } from '../registration/registration.ts';
import { nameIn } from '../registration/request.ts';
import { type StoredExchange, storedOf, type TraceKind, type Traces } from './traces.ts';

type Head = Omit<CoapRequest, 'payload'>;
type Parts = {
  traces: Traces;
  registrationAt: (peer: Peer) => Registration | undefined;
  /** The devices with this endpoint name. */
  ownersOf: (endpoint: string) => string[];
  clock: Clock;
};
export type Answers = { onRequest(request: CoapRequest): Promise<CoapReply>; admit: Admit };

/** A refused request names an endpoint and no device: it is stored in the traces of this many devices with that endpoint at most. */
const MAX_OWNERS = 8;

/** What answers the requests of devices, which stores them in the traces, refused ones with those that have the name. */
export function withTracedRequests(
  { onRequest, admit }: Answers,
  { traces, registrationAt, ownersOf, clock }: Parts,
): Answers {
  const deviceAt = ({ peer }: Head): string | undefined =>
    peer.proven?.deviceId ?? registrationAt(peer)?.deviceId;

  function refused(head: Head, code: number): void {
    const own = head.peer.proven?.deviceId;
    const named = isRegister(head) ? ownersOf(nameIn(head.query) ?? '') : [];
    const about = new Set(own === undefined ? named : [own, ...named]);
    for (const deviceId of [...about].slice(0, MAX_OWNERS))
      traces.add(deviceId, 'refusal', incoming(head, { at: clock.now(), ms: null, code }));
  }

  return {
    async onRequest(request) {
      const at = clock.now();
      // A Register may come from an address that was another device's; a De-register leaves none.
      const before = isRegister(request) ? undefined : deviceAt(request);
      const reply = await onRequest(request);
      const { code } = reply;
      const deviceId = before ?? (code >> 5 === 2 ? deviceAt(request) : undefined);
      if (deviceId === undefined) refused(request, code);
      else {
        const times = { at, ms: clock.now() - at, code };
        traces.add(deviceId, kindOf(request), {
          ...incoming(request, times),
          ...payloadOf(request),
        });
      }
      return reply;
    },
    admit(head) {
      const code = admit(head);
      if (typeof code === 'number') refused(head, code);
      return code;
    },
  };
}

const isRegister = ({ method, path: [root, ...more] }: Head): boolean =>
  method === 'POST' && root === 'rd' && more.length === 0;

const kindOf = ({ path: [root] }: Head): TraceKind => (root === 'dp' ? 'report' : 'registration');

const payloadOf = ({ payload, contentFormat, path }: CoapRequest) => ({
  request: storedOf(payload, contentFormat, path),
});

const incoming = (
  { method, path, query, accept, observe, peer }: Head,
  times: Pick<StoredExchange, 'at' | 'ms' | 'code'>,
): StoredExchange => ({
  ...times,
  from: 'DEVICE',
  method,
  path,
  query,
  accept,
  observe,
  request: null,
  answer: null,
  failure: '',
  sent: 0,
  repeated: 0,
  times: 1,
  peer,
});
