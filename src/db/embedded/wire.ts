/** The frontend messages that the embedded engine inspects (PostgreSQL manual, 54.7 Message Formats). */
export const Frontend = {
  QUERY: 0x51,
  PARSE: 0x50,
  SYNC: 0x53,
  FLUSH: 0x48,
  TERMINATE: 0x58,
} as const;

/** Bytes before the body of a message: one of type, four of length. */
export const HEADER = 5;
const READY_FOR_QUERY = 0x5a;
const DATA_ROW = 0x44;
const ERROR_RESPONSE = 0x45;

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(HEADER);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

/** A simple Query message. */
export const query = (sql: string): Buffer => message('Q', text(sql));

/** ErrorResponse with severity FATAL, as a server sends it before it closes a connection. */
export function fatal(code: string, says: string): Buffer {
  return message(
    'E',
    Buffer.concat([...['SFATAL', 'VFATAL', `C${code}`, `M${says}`].map(text), Buffer.of(0)]),
  );
}

/** The whole answer to a start-up packet: no password, parameters, key data, ready. */
export function welcome(parameters: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...Object.entries(parameters).map(([name, value]) =>
      message('S', Buffer.concat([text(name), text(value)])),
    ),
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ]);
}

/**
 * Parses an answer that arrives in arbitrary pieces: `ready` counts its ReadyForQuery messages, `status` is
 * the transaction status of the last one (`I` idle, `T` open, `E` failed).
 */
export function watchAnswer(): {
  feed(bytes: Uint8Array): void;
  ready(): number;
  status(): string | undefined;
} {
  const head = Buffer.alloc(HEADER);
  let headBytes = 0;
  let left = 0;
  let ready = 0;
  let status: string | undefined;
  return {
    feed(bytes) {
      let at = 0;
      while (at < bytes.length) {
        if (headBytes < HEADER) {
          head[headBytes++] = bytes[at++] ?? 0;
          if (headBytes === HEADER) left = head.readInt32BE(1) - 4;
        } else {
          if (head[0] === READY_FOR_QUERY) status = String.fromCharCode(bytes[at] ?? 0);
          const step = Math.min(left, bytes.length - at);
          at += step;
          left -= step;
        }
        if (headBytes === HEADER && left === 0) {
          if (head[0] === READY_FOR_QUERY) ready += 1;
          headBytes = 0;
        }
      }
    },
    ready: () => ready,
    status: () => status,
  };
}

/** Text rows of a simple query's answer; throws with the server's message on an ErrorResponse. */
export function rowsOf(answer: Buffer): (string | null)[][] {
  const rows: (string | null)[][] = [];
  for (let at = 0; at + HEADER <= answer.length; at += 1 + answer.readInt32BE(at + 1)) {
    if (answer[at] === ERROR_RESPONSE) {
      const body = answer.subarray(at + HEADER, at + 1 + answer.readInt32BE(at + 1));
      const fields = body.toString().split('\0');
      throw new Error(fields.find((field) => field.startsWith('M'))?.slice(1) ?? 'unknown error');
    }
    if (answer[at] === DATA_ROW) rows.push(rowAt(answer, at + HEADER));
  }
  return rows;
}

function rowAt(answer: Buffer, start: number): (string | null)[] {
  let at = start + 2;
  return Array.from({ length: answer.readInt16BE(start) }, () => {
    const length = answer.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    at += length;
    return answer.toString('utf8', at - length, at);
  });
}
