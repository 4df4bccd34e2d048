/** The address of a peer. `proven` is set over DTLS: the id of the session, and the device and mark of its key. */
export type Peer = {
  address: string;
  port: number;
  proven?: { session: string; deviceId: string; mark?: string | undefined } | undefined;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'FETCH' | 'PATCH' | 'IPATCH';

export type CoapRequest = {
  peer: Peer;
  method: Method;
  path: string[];
  query: string[];
  contentFormat: number | null;
  accept: number | null;
  observe: number | null;
  payload: Buffer;
};

export type CoapReply = {
  /** One of `Code`, 0x45 for 2.05. */
  code: number;
  contentFormat?: number;
  locationPath?: string[];
  payload?: Buffer;
};

export type CoapResponse = {
  code: number;
  contentFormat: number | null;
  observe: number | null;
  /** Where a created resource is; missing when the peer does not say. */
  locationPath?: string[];
  payload: Buffer;
};

export type OutgoingRequest = {
  method: Method;
  path: string[];
  query?: string[];
  accept?: number;
  contentFormat?: number;
  payload?: Buffer;
  observe?: 0 | 1;
  /** Of a payload that takes many blocks. */
  upload?: {
    /** How often one block is sent anew, as another message, after it was not answered. */
    again: number;
    /** Called with the bytes that the peer has taken. */
    sent(bytes: number): void;
    /** Asked before each block; the upload ends without it. */
    isWanted(): boolean;
  };
  /**
   * Does not wait for the request under way, one of these at a time (RFC 7252 4.7 lets NSTART be more): it asks whether
   * the peer answers at all.
   */
  isBeside?: boolean;
  /** Called for each datagram with a part of it, whether it was sent before. */
  transmitted?(isRepeated: boolean): void;
  /** Milliseconds since the epoch; covers waiting in the queue and every block. */
  deadline: number;
};

/** How a request is sent. */
export type Sending = Pick<OutgoingRequest, 'deadline' | 'isBeside' | 'transmitted'>;

/** What a peer has not answered since it last sent anything. */
export type Silence = {
  /** Since the first datagram without an answer, in milliseconds. */
  forMs: number;
  /** How many datagrams. */
  sent: number;
};

/** A resource that its device reports by itself (RFC 7641). */
export type Observation = {
  /** The answer to the request, the first value; an error code where it was refused. */
  response: CoapResponse;
  /** Null where the device answered and does not report. */
  running: RunningObservation | null;
};

export type RunningObservation = {
  /** Takes no more reports and says nothing: a later one is answered with a reset. */
  end(): void;
  /** Ends it and tells the device; answers false when that is silent. */
  cancel(): Promise<boolean>;
};

export type FailureReason =
  | 'timeout-before-ack' // the peer may or may not have seen the request
  | 'timeout-after-ack' // the peer has the request, its answer is missing
  | 'reset'
  | 'expired-in-queue' // never sent
  | 'queue-full' // never sent
  | 'bad-request' // never sent: an address or option that cannot be put on the wire
  | 'too-large'
  | 'bad-response'
  | 'closed';

/** Why a request got no answer; an answer with an error code is not a failure. */
export class CoapFailure extends Error {
  override readonly name = 'CoapFailure';
  readonly reason: FailureReason;

  constructor(reason: FailureReason, text: string = reason) {
    super(text);
    this.reason = reason;
  }
}

/** Counts since the endpoint was opened. */
export type Counters = {
  received: number;
  sent: number;
  /** Datagrams that are not CoAP, or CoAP messages that must be refused. */
  malformed: number;
  duplicates: number;
  retransmissions: number;
  /** Requests beyond the limits: answered 5.03, or dropped when non-confirmable. */
  limited: number;
  /** Responses and notifications without a waiting request. */
  unclaimed: number;
  handlerErrors: number;
  sendErrors: number;
  /** Datagrams that made this code throw: faults of this code. */
  faults: number;
};

export type Stats = Counters & {
  /** Message ids stored to detect duplicates. */
  remembered: number;
  /** Resources that peers report by themselves. */
  observations: number;
  /** Own requests queued or unanswered. */
  outstanding: number;
  /** Requests of peers in progress. */
  handling: number;
};

export function newCounters(): Counters {
  return {
    received: 0,
    sent: 0,
    malformed: 0,
    duplicates: 0,
    retransmissions: 0,
    limited: 0,
    unclaimed: 0,
    handlerErrors: 0,
    sendErrors: 0,
    faults: 0,
  };
}
