import { call } from '../../../client/call.ts';
import { Refused, Unreachable } from '../../../client/failure.ts';
import type { Schemas } from '../../../client/operations.ts';

type Device = Pick<Schemas['Device'], 'id' | 'deviceName'>;
export type Filter = {
  deviceName?: string;
  groupId?: string;
  labelId?: string;
  profileId?: string;
  driverId?: string;
  situation?: 'online' | 'offline' | 'never connected' | 'unknown';
};

/** Which devices: by hand, or all that the list finds. */
export type Which = { devices: readonly Device[] } | { filter: Filter; total: number };

export const countOf = (which: Which): number =>
  'devices' in which ? which.devices.length : which.total;

/** What is done with each of them. */
export type Work = (deviceId: string) => Promise<unknown>;

/** How far it is. `unknown`: no answer came, so whether it happened is not known. */
export type Progress = {
  total: number;
  done: number;
  refused: readonly { id: string; deviceName: string; why: string | null }[];
  ended: 'running' | 'done' | 'stopped' | 'unknown';
};

const PAGE = 100;
/** Devices that are worked on at once. */
const LANES = 4;
/** Refused ones that are named; the others are counted. */
const NAMED = 100;

/** The devices that the list finds, as they are at the begin: what is done with some changes which it finds. */
async function found(filter: Filter, stop: AbortSignal): Promise<Device[]> {
  const devices = new Map<string, Device>();
  for (let current = 1; ; current += 1) {
    const page = { current, size: PAGE };
    const { records, pages } = await call('POST /manager/device/list', { ...filter, page }, stop);
    for (const device of records) devices.set(device.id, device);
    if (current >= pages) return [...devices.values()];
  }
}

/** Does the work on each device; `seen` gets how far it is. A device that refuses leaves the others; a lost line ends it. */
export async function runBulk(
  which: Which,
  work: Work,
  stop: AbortSignal,
  seen: (progress: Progress) => void,
): Promise<void> {
  const refused: Progress['refused'][number][] = [];
  let [total, done, ended] = [countOf(which), 0, 'running' as Progress['ended']];
  const say = (): void => seen({ total, done, refused: refused.slice(0, NAMED), ended });
  say();
  const end = (as: Progress['ended']): void => {
    if (ended === 'running') ended = as;
  };
  try {
    const devices = 'devices' in which ? which.devices : await found(which.filter, stop);
    total = devices.length;
    const waiting = devices.values();
    const lane = async (): Promise<void> => {
      for (const { id, deviceName } of waiting) {
        if (stop.aborted) return end('stopped');
        if (ended !== 'running') return;
        try {
          await work(id);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          refused.push({ id, deviceName, why: error.message });
        }
        done += 1;
        say();
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    end('done');
  } catch (error) {
    if (stop.aborted) end('stopped');
    else if (error instanceof Unreachable) end('unknown');
    else throw error;
  }
  say();
}

const TYPE = 'DEVICE';

const isTaken = (error: unknown): boolean => error instanceof Refused && error.status === 409;

/** Puts the device into the group, out of another one; null: into none. */
export const intoGroup =
  (groupId: string | null): Work =>
  async (entityId) => {
    const is = await call('POST /manager/group_bind/list', {
      entityTypeFlag: TYPE,
      entityId,
      page: { current: 1, size: 1 },
    });
    const bind = is.records[0];
    if (groupId === null) return bind && call('POST /manager/group_bind/delete', { id: bind.id });
    if (bind?.groupId === groupId) return undefined;
    return bind
      ? call('POST /manager/group_bind/update', { id: bind.id, groupId })
      : call('POST /manager/group_bind/add', { entityTypeFlag: TYPE, entityId, groupId });
  };

/** Gives the device the label; one that has it stays as it is. */
export const withLabel =
  (labelId: string): Work =>
  async (entityId) => {
    try {
      await call('POST /manager/label_bind/add', { entityTypeFlag: TYPE, entityId, labelId });
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  };

export const turned =
  (enableFlag: 'ENABLE' | 'DISABLE'): Work =>
  (id) =>
    call('POST /manager/device/update', { id, enableFlag });

export const removed: Work = (id) => call('POST /manager/device/delete', { id });
