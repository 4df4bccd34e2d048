import { z } from 'zod';

import { LiveEnd, LiveEvent, LiveGap, LiveSync, LiveValue } from '../../../src/live/answer.ts';

const NAMES = [
  'sync',
  'value',
  'device',
  'alarm',
  'action',
  'receipt',
  'resume-gap',
  'end',
] as const;
const Name = z.enum(NAMES);
type Name = z.output<typeof Name>;

const Refusal = z.object({ code: z.string(), message: z.string() });

type Told = { event: Name; id: string | null; data: unknown };

export type LiveStream = {
  status: number;
  /** Of a refusal. */
  message: string;
  told: Told[];
  /** The data of the events of a name so far, as the document declares it: a field too many is an error. */
  sync(): z.output<typeof LiveSync>;
  values(): z.output<typeof LiveValue>[];
  events(name: 'device' | 'alarm' | 'action' | 'receipt'): z.output<typeof LiveEvent>[];
  gaps(): z.output<typeof LiveGap>[];
  ends(): z.output<typeof LiveEnd>[];
  /** Of the last event that had one. */
  lastId(): string;
  /** Resolves when the stream ends, from whichever side. */
  ended: Promise<void>;
  close(): void;
};

type Asked = {
  points?: readonly string[];
  devices?: readonly string[];
  cursor?: string;
  lastEventId?: string;
  onTold?: (told: Told) => void;
};

/** Opens `GET /api/v3/data/live`; resolves after its first event or its refusal. */
export async function openLive(
  base: string,
  headers: Record<string, string>,
  { points = [], devices = [], cursor, lastEventId, onTold = () => {} }: Asked = {},
): Promise<LiveStream> {
  const url = new URL('/api/v3/data/live', base);
  if (points.length > 0) url.searchParams.set('points', points.join(','));
  if (devices.length > 0) url.searchParams.set('devices', devices.join(','));
  if (cursor !== undefined) url.searchParams.set('cursor', cursor);
  const leaving = new AbortController();
  const response = await fetch(url, {
    headers: { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: leaving.signal,
  });
  const told: Told[] = [];
  const data = (name: Name) => told.filter(({ event }) => event === name).map((one) => one.data);
  const stream = {
    status: response.status,
    message: '',
    told,
    sync: () => LiveSync.strict().parse(data('sync')[0]),
    values: () => data('value').map((value) => LiveValue.strict().parse(value)),
    events: (name: Name) => data(name).map((event) => LiveEvent.strict().parse(event)),
    gaps: () => data('resume-gap').map((gap) => LiveGap.strict().parse(gap)),
    ends: () => data('end').map((end) => LiveEnd.strict().parse(end)),
    lastId: () => told.findLast(({ id }) => id !== null)?.id ?? '',
    close: () => leaving.abort(),
  };
  if (response.status !== 200) {
    stream.message = Refusal.parse(await response.json()).message;
    return { ...stream, ended: Promise.resolve() };
  }
  const first = Promise.withResolvers<void>();
  const ended = (async () => {
    let text = '';
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const one = toldIn(block);
        if (!one) continue;
        told.push(one);
        onTold(one);
        first.resolve();
      }
    }
  })().catch(() => {});
  await Promise.race([first.promise, ended]);
  return { ...stream, ended };
}

/** Null for a comment. */
function toldIn(block: string): Told | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  );
  const event = fields.get('event');
  if (event === undefined) return null;
  return {
    event: Name.parse(event),
    id: fields.get('id') ?? null,
    data: JSON.parse(fields.get('data') ?? ''),
  };
}
