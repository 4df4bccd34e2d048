/** What happened since the endpoint was opened. */
export type Counters = {
  received: number;
  sent: number;
  /** Not CoAP, or CoAP that must be refused as a message. */
  malformed: number;
  duplicates: number;
  retransmissions: number;
  /** Requests answered 5.03 because too many were being handled, and non-confirmable ones left unanswered. */
  limited: number;
  /** Responses and notifications nobody waited for. */
  unclaimed: number;
  handlerErrors: number;
  sendErrors: number;
  /** Datagrams that made this code throw; always 0 unless it has a fault. */
  faults: number;
};

export type Stats = Counters & {
  /** Message ids remembered to tell duplicates. */
  remembered: number;
  /** Requests of ours queued or unanswered. */
  outstanding: number;
  /** Requests of peers being handled. */
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
