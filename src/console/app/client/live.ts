import { type Signal, signal } from '@preact/signals';

import { reached } from './call.ts';
import { readEvents } from './events.ts';
import { Refused } from './failure.ts';
import type { Schemas } from './operations.ts';
import { ended, may, restore, session } from './session.ts';

type LiveValue = Schemas['LiveValue'];
type Presence = Schemas['LiveSync']['devices'][number];
type LiveEvent = Schemas['LiveEvent'];

/** `away`: no connection now, tried again by itself. */
export const link = signal<'off' | 'opening' | 'live' | 'away'>('off');

const values = new Map<string, Signal<LiveValue | null>>();
const presences = new Map<string, Signal<Presence | null>>();
const listeners = new Set<(event: LiveEvent | 'gap') => void>();
/** How many components show it. */
const wanted = { points: new Map<string, number>(), devices: new Map<string, number>() };

/** The server's limit for one stream. */
const MOST = 200;
const RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;
/** Browsers open six connections to a host: a page that is not seen gives its own back. */
const HIDDEN_MS = 30_000;

const cellOf = <T>(cells: Map<string, Signal<T | null>>, key: string): Signal<T | null> => {
  const cell = cells.get(key) ?? signal<T | null>(null);
  cells.set(key, cell);
  return cell;
};

/** The value of a point as it was last heard; null before. Tracked where `.value` is read. */
export const liveValue = (deviceId: string, pointId: string): Signal<LiveValue | null> =>
  cellOf(values, `${deviceId}:${pointId}`);

/** The status of a device as it was last heard; null before. */
export const livePresence = (deviceId: string): Signal<Presence | null> =>
  cellOf(presences, deviceId);

/** Hears alarms, actions, receipts and devices as they happen; 'gap': some were missed, read again what is shown. */
export function onEvent(listener: (event: LiveEvent | 'gap') => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

type Watched = { points?: readonly string[]; devices?: readonly string[] };

/** Asks for the values of points (`DEVICE:POINT`) and the status of devices until the answered function is called. */
export function watch({ points = [], devices = [] }: Watched): () => void {
  const change = (by: 1 | -1): void => {
    const isOther = [count(wanted.points, points, by), count(wanted.devices, devices, by)];
    if (isOther.includes(true)) reopenSoon();
  };
  change(1);
  return () => change(-1);
}

/** Whether a key came or went. */
function count(counts: Map<string, number>, keys: readonly string[], by: 1 | -1): boolean {
  const before = counts.size;
  let isOther = false;
  for (const key of keys) {
    const next = (counts.get(key) ?? 0) + by;
    if (next > 0) counts.set(key, next);
    else counts.delete(key);
    isOther ||= (by === 1 && next === 1) || next <= 0;
  }
  return isOther || counts.size !== before;
}

/** Without one of these rights there is nothing to hear (docs/specification/endpoints.md, Live stream). */
const RIGHTS = [
  'svc-center-data:point_value:list',
  'svc-center-data:device_status:list',
  'svc-center-data:dashboard:list',
  'svc-center-agentic:action:get',
  'svc-center-data:point_command_history:get',
];

let cursor: string | null = null;
let current: AbortController | null = null;
let soon: ReturnType<typeof setTimeout> | undefined;
let retryMs = RETRY_MS;

function reopenSoon(afterMs = 30): void {
  clearTimeout(soon);
  soon = setTimeout(() => void open(), afterMs);
}

async function open(): Promise<void> {
  current?.abort();
  if (session.value === null || !RIGHTS.some(may)) return;
  const mine = new AbortController();
  current = mine;
  if (link.value !== 'live') link.value = 'opening';
  const asked = {
    points: [...wanted.points.keys()].slice(0, MOST),
    devices: [...wanted.devices.keys()].slice(0, MOST),
    cursor,
  };
  let over: Schemas['LiveEnd']['reason'] | null = null;
  try {
    await readLive(
      asked,
      (event, at) => {
        if (at !== null) cursor = at;
        if (event.name === 'end') over = event.data.reason;
        else hear(event);
      },
      mine.signal,
    );
  } catch (error) {
    if (mine.signal.aborted) return;
    if (error instanceof Refused && error.status === 401) return ended();
  }
  if (mine.signal.aborted) return;
  if (over === 'SESSION_ENDED') return ended();
  if (over === 'RIGHTS_CHANGED') await restore();
  link.value = 'away';
  reopenSoon(retryMs);
  retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
}

function hear(event: Exclude<Received, { name: 'end' }>): void {
  if (link.value !== 'live') reached();
  link.value = 'live';
  retryMs = RETRY_MS;
  if (event.name === 'sync') {
    for (const { deviceId, pointId, ...value } of event.data.values)
      liveValue(deviceId, pointId).value = { deviceId, pointId, ...value };
    for (const presence of event.data.devices) livePresence(presence.deviceId).value = presence;
  } else if (event.name === 'value') {
    liveValue(event.data.deviceId, event.data.pointId).value = event.data;
  } else if (event.name === 'resume-gap') {
    for (const listener of listeners) listener('gap');
  } else {
    if (event.data.kind === 'device') arrived(event.data);
    for (const listener of listeners) listener(event.data);
  }
}

/** A device went online or away; why it is away is asked for by what shows that. */
function arrived({ deviceId, what, occurTime }: LiveEvent): void {
  const cell = deviceId === null ? null : livePresence(deviceId);
  if (!cell?.value || (what !== 'ONLINE' && what !== 'OFFLINE')) return;
  const isOnline = what === 'ONLINE';
  cell.value = {
    ...cell.value,
    status: isOnline ? 'online' : 'offline',
    description: '',
    statusReason: '',
    neverConnected: false,
    offlineSince: isOnline ? null : occurTime,
  };
}

/** Keeps one stream open while there is a session and the page is seen. */
export function startLive(): void {
  let before = '';
  let hidden: ReturnType<typeof setTimeout> | undefined;
  session.subscribe((now) => {
    close('off');
    if (now === null) return;
    const whose = `${now.tenant.tenantCode} ${now.person.loginName}`;
    if (whose !== before) {
      cursor = null;
      values.clear();
      presences.clear();
    }
    before = whose;
    reopenSoon();
  });
  document.addEventListener('visibilitychange', () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(() => close('off'), HIDDEN_MS);
    else if (link.value !== 'live') reopenSoon(0);
  });
  globalThis.addEventListener('online', () => reopenSoon(0));
}

function close(as: 'off'): void {
  clearTimeout(soon);
  current?.abort();
  current = null;
  link.value = as;
}

/** An event of the live stream, as the OpenAPI document describes them. */
type Received =
  | { name: 'sync'; data: Schemas['LiveSync'] }
  | { name: 'value'; data: Schemas['LiveValue'] }
  | { name: 'device' | 'alarm' | 'action' | 'receipt'; data: Schemas['LiveEvent'] }
  | { name: 'resume-gap'; data: Schemas['LiveGap'] }
  | { name: 'end'; data: Schemas['LiveEnd'] };

type Wanted = { points: readonly string[]; devices: readonly string[]; cursor: string | null };

/**
 * Reads one stream until it ends: `heard` gets every event with the cursor to go on from. Throws Refused, Unreachable,
 * and AbortError when `stop` ended it.
 */
async function readLive(
  { points, devices, cursor: from }: Wanted,
  heard: (event: Received, at: string | null) => void,
  stop: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({ points: points.join(), devices: devices.join() });
  if (from !== null) query.set('cursor', from);
  await readEvents(
    `/api/v3/data/live?${query}`,
    {},
    ({ name, data, id }) => {
      const event = heardOf(name, JSON.parse(data));
      if (event) heard(event, id);
    },
    stop,
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
