export type DeviceLock = <T>(deviceId: string, work: () => Promise<T>) => Promise<T>;

/** One exchange per device at a time, in order of the calls; devices do not wait for each other. */
export function createDeviceLock(): DeviceLock {
  const tails = new Map<string, Promise<unknown>>();
  return async (deviceId, work) => {
    const before = tails.get(deviceId) ?? Promise.resolve();
    const mine = before.then(work);
    const tail = mine.catch(() => {});
    tails.set(deviceId, tail);
    try {
      return await mine;
    } finally {
      if (tails.get(deviceId) === tail) tails.delete(deviceId);
    }
  };
}
