import type { Clock } from '../../../src/kernel/clock.ts';
import {
  CoapFailure,
  type CoapResponse,
  type OutgoingRequest,
  type Peer,
} from '../../coap/contract.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import { type StoredExchange, storedOf, type TraceKind, type Traces } from './traces.ts';

type Parts = {
  traces: Traces;
  registrationAt: (peer: Peer) => Registration | undefined;
  clock: Clock;
};

/** The ports, which store in the traces what goes to each device and what it answers and reports. */
export function withTraces(
  ports: Lwm2mPorts,
  { traces, registrationAt, clock }: Parts,
): Lwm2mPorts {
  /** Begins the exchange of a request; null for a peer that is no known device. */
  function begin(peer: Peer, request: OutgoingRequest) {
    const registration = registrationAt(peer);
    const deviceId = peer.proven?.deviceId ?? registration?.deviceId;
    if (deviceId === undefined) return null;
    const path = below(registration?.root ?? [], request.path);
    const exchange: StoredExchange = {
      at: clock.now(),
      ms: null,
      from: 'PLATFORM',
      method: request.method,
      path,
      query: request.query ?? [],
      accept: request.accept ?? null,
      observe: request.observe ?? null,
      request: storedOf(request.payload, request.contentFormat ?? null, path),
      code: null,
      answer: null,
      failure: '',
      sent: 0,
      repeated: 0,
      times: 1,
      peer,
    };
    traces.add(deviceId, kindOf(request), exchange);
    const ended = (code: number | null, answer: StoredExchange['answer'], failure: string): void =>
      traces.end(deviceId, exchange, { ms: clock.now() - exchange.at, code, answer, failure });
    return {
      deviceId,
      path,
      request: {
        ...request,
        transmitted(isRepeated: boolean) {
          exchange.sent += 1;
          if (isRepeated) exchange.repeated += 1;
        },
      },
      answered: ({ code, payload, contentFormat }: CoapResponse) =>
        ended(code, storedOf(payload, contentFormat, path), ''),
      failed: (error: unknown) =>
        ended(null, null, error instanceof CoapFailure ? error.reason : 'failed'),
    };
  }

  type Begun = NonNullable<ReturnType<typeof begin>>;

  async function followed<T>(
    begun: Begun,
    asking: Promise<T>,
    responseOf: (answer: T) => CoapResponse,
  ) {
    try {
      const answer = await asking;
      begun.answered(responseOf(answer));
      return answer;
    } catch (error) {
      begun.failed(error);
      throw error;
    }
  }

  return {
    ...ports,
    request(peer, request) {
      const begun = begin(peer, request);
      if (!begun) return ports.request(peer, request);
      return followed(begun, ports.request(peer, begun.request), (response) => response);
    },
    observe(peer, request, notified) {
      const begun = begin(peer, { ...request, observe: 0 });
      if (!begun) return ports.observe(peer, request, notified);
      const { deviceId, path } = begun;
      const reported = (response: CoapResponse): void => {
        traces.add(deviceId, 'report', reportOf(response, { path, peer, at: clock.now() }));
        notified(response);
      };
      const asking = ports.observe(peer, begun.request, reported);
      return followed(begun, asking, ({ response }) => response);
    },
  };
}

const kindOf = ({ method }: OutgoingRequest): TraceKind =>
  method === 'GET' || method === 'FETCH' ? 'read' : 'change';

const reportOf = (
  { code, payload, contentFormat }: CoapResponse,
  { path, peer, at }: Pick<StoredExchange, 'path' | 'peer' | 'at'>,
): StoredExchange => ({
  at,
  ms: null,
  from: 'DEVICE',
  method: '',
  path,
  query: [],
  accept: null,
  observe: null,
  request: storedOf(payload, contentFormat, path),
  code,
  answer: null,
  failure: '',
  sent: 0,
  repeated: 0,
  times: 1,
  peer,
});

/** The path below the root of the device, as people know it. */
const below = (root: readonly string[], path: readonly string[]): readonly string[] =>
  root.length > 0 && root.every((part, at) => path[at] === part) ? path.slice(root.length) : path;
