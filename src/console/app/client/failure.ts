/** An answer of the server that is not the one asked for. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  /** What the server says beside it, e.g. a fresh card. */
  readonly data: unknown;

  constructor(status: number, code: string, message: string, data: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** No answer came: the server, the network or the proxy is away. Whether a change was made is not known. */
export class Unreachable extends Error {}

/** What a proxy answers with, and above, when the platform behind it does not. */
export const GATEWAY_FAILED = 502;

/** Whether the platform did not answer: once it can be reached, the same is worth asking again. */
export const isUnanswered = (failure: Failure): boolean =>
  failure instanceof Unreachable || failure.status >= GATEWAY_FAILED;

export type Failure = Refused | Unreachable;

/** The failure of a call; throws what is none. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refused || error instanceof Unreachable) return error;
  throw error;
}
