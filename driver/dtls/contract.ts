/** Where a datagram came from. */
export type Address = { address: string; port: number };

/** A key that an identity may prove, and what it proves: the id of a device. `mark` names the key, and hides it. */
export type PreSharedKey = { key: Buffer; holder: string; mark: string };

/** A living session as its user sees it. */
export type SessionFacts = {
  /** Unique in this process, never used again. */
  id: string;
  /** The holder of the key that the client proved. */
  holder: string;
  /** The mark of that key. */
  mark: string;
  address: Address;
};

/** Counts since the server was opened. */
export type DtlsCounters = {
  received: number;
  /** Datagrams or records that are not DTLS 1.2. */
  malformed: number;
  /** Cookies asked for. */
  cookies: number;
  wrongCookies: number;
  /** Handshakes that were not begun, as there were too many. */
  limited: number;
  handshakes: number;
  /** Handshakes without a proof of the key in time: wrong identity, wrong key or a client that is gone. */
  unproven: number;
  retransmissions: number;
  replayed: number;
  /** Records of a session whose tag does not fit its key. */
  forged: number;
  /** Records of no session. */
  unknown: number;
};

export const newDtlsCounters = (): DtlsCounters => ({
  received: 0,
  malformed: 0,
  cookies: 0,
  wrongCookies: 0,
  limited: 0,
  handshakes: 0,
  unproven: 0,
  retransmissions: 0,
  replayed: 0,
  forged: 0,
  unknown: 0,
});
