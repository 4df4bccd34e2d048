import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

/** Of one session. */
const MAX_EVENTS = 256;
const MAX_BYTES = 131_072;

/** Without a message it only gives its place. */
type Sent = { id: string; stream: string; message: JSONRPCMessage | null; bytes: number };

/**
 * What the streams of a session sent last, the answers of calls included: a client whose stream was cut names the last
 * event that it got (`Last-Event-ID`), and gets what came after that. There is no `getStreamIdForEventId`: with it
 * the library refuses a stream that it still takes for open.
 */
export class SessionEvents implements EventStore {
  #sent: Sent[] = [];
  #bytes = 0;
  #count = 0;

  async storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    return this.#add(stream, 'jsonrpc' in message ? message : null);
  }

  /** A place in a stream, to go on from. */
  placeIn(stream: string): string {
    return this.#add(stream, null);
  }

  #add(stream: string, message: JSONRPCMessage | null): string {
    this.#count += 1;
    const id = `e${this.#count}`;
    const bytes = JSON.stringify(message).length;
    this.#sent.push({ id, stream, message, bytes });
    this.#bytes += bytes;
    while (this.#sent.length > MAX_EVENTS || this.#bytes > MAX_BYTES)
      this.#bytes -= this.#sent.shift()?.bytes ?? 0;
    return id;
  }

  /** The stream that an event was of; undefined for one that is not kept. */
  streamOf(id: string): string | undefined {
    return this.#sent.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#sent.findIndex(({ id }) => id === last);
    const from = this.#sent[at];
    if (!from) throw new Error('the event is not kept any more');
    for (const { id, stream, message } of this.#sent.slice(at + 1))
      if (message !== null && stream === from.stream) await send(id, message);
    return from.stream;
  }
}
