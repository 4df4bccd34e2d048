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
