import { readEvents } from './events.ts';
import type { Schemas } from './operations.ts';

/** An event of the live stream, as the OpenAPI document describes them. */
export type Received =
  | { name: 'sync'; data: Schemas['LiveSync'] }
  | { name: 'value'; data: Schemas['LiveValue'] }
  | { name: 'device' | 'alarm' | 'action' | 'receipt'; data: Schemas['LiveEvent'] }
  | { name: 'resume-gap'; data: Schemas['LiveGap'] }
  | { name: 'end'; data: Schemas['LiveEnd'] };

type Asked = { points: readonly string[]; devices: readonly string[]; cursor: string | null };

/**
 * Reads one stream until it ends: `heard` gets every event with the cursor to go on from. Throws Refused, Unreachable,
 * and AbortError when `signal` ended it.
 */
export async function readLive(
  { points, devices, cursor }: Asked,
  heard: (event: Received, cursor: string | null) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({ points: points.join(), devices: devices.join() });
  if (cursor !== null) query.set('cursor', cursor);
  await readEvents(
    `/api/v3/data/live?${query}`,
    {},
    ({ name, data, id }) => {
      const event = heardOf(name, JSON.parse(data));
      if (event) heard(event, id);
    },
    signal,
  );
}

const NAMES = ['sync', 'value', 'device', 'alarm', 'action', 'receipt', 'resume-gap', 'end'];

/** Of a server of this version: its data is what the document says; events of a later one are passed over. */
// oxlint-disable-next-line typescript/no-explicit-any
const heardOf = (name: string | undefined, data: any): Received | null => {
  const event: { name: Received['name']; data: Received['data'] } | null = isName(name)
    ? { name, data }
    : null;
  return isHeard(event) ? event : null;
};

const isName = (name: string | undefined): name is Received['name'] =>
  name !== undefined && NAMES.includes(name);
const isHeard = (event: unknown): event is Received => event !== null;
