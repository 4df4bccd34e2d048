import { createHash } from 'node:crypto';

import type { Bus } from '../../../src/bus/bus.ts';
import { MAX_PORTION_BYTES } from '../../../src/bus/topic/firmware-topics.ts';
import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { DriverFailure } from '../driver.ts';
import { within } from '../wait.ts';

type Portion = Payload<'svc.e.firmware_portion'>;
type Wanted = Pick<
  Payload<'svc.e.firmware'>,
  'updateId' | 'tenantId' | 'packageId' | 'size' | 'sha256'
>;

const PORTION_MS = 10_000;
const ATTEMPTS = 3;
/** Packages kept in memory: the devices of a wave get the same one. */
const MAX_KEPT = 4;

/** The bytes of packages, asked from the center portion by portion. */
export type ImageSource = {
  /** The whole package; its digest is checked. Throws `DriverFailure` when it cannot be had now. */
  imageFor(wanted: Wanted): Promise<Buffer>;
  take(portion: Portion): void;
};

export function createImageSource({
  bus,
  clock,
  driverCode,
  node,
}: {
  bus: Bus;
  clock: Clock;
  driverCode: string;
  node: string;
}): ImageSource {
  /** By tenant and package. */
  const kept = new Map<string, Promise<Buffer>>();
  const waiting = new Map<string, (bytes: Buffer) => void>();
  const keyOf = ({ updateId, offset }: Pick<Portion, 'updateId' | 'offset'>): string =>
    `${updateId} ${offset}`;

  async function portionAt({ updateId, tenantId }: Wanted, offset: number): Promise<Buffer> {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    const key = keyOf({ updateId, offset });
    waiting.set(key, resolve);
    try {
      const request = { driverCode, node, updateId, tenantId, asks: 'bytes', offset } as const;
      await within(
        clock,
        PORTION_MS,
        bus.publish('svc.e.firmware_request', request, { key: driverCode }),
      );
      return await within(clock, PORTION_MS, promise);
    } finally {
      waiting.delete(key);
    }
  }

  async function patiently(wanted: Wanted, offset: number): Promise<Buffer> {
    for (let attempt = 1; ; attempt += 1) {
      const bytes = await portionAt(wanted, offset).catch((error: unknown) => {
        if (attempt < ATTEMPTS) return null;
        const text = 'the package could not be read from the platform';
        throw new DriverFailure('PACKAGE_UNREADABLE', text, 'FAILED', error);
      });
      if (bytes) return bytes;
    }
  }

  async function whole(wanted: Wanted): Promise<Buffer> {
    const { size, sha256 } = wanted;
    const image = Buffer.allocUnsafe(size);
    for (let offset = 0; offset < size; offset += MAX_PORTION_BYTES) {
      const bytes = await patiently(wanted, offset);
      if (bytes.length !== Math.min(MAX_PORTION_BYTES, size - offset))
        throw new DriverFailure('PACKAGE_GONE', 'the platform does not have the package any more');
      bytes.copy(image, offset);
    }
    if (createHash('sha256').update(image).digest('hex') !== sha256)
      throw new DriverFailure('PACKAGE_DAMAGED', 'the bytes of the package have another digest');
    return image;
  }

  return {
    imageFor(wanted) {
      const key = `${wanted.tenantId} ${wanted.packageId}`;
      const found = kept.get(key);
      if (found) return found;
      for (const oldest of kept.keys()) {
        if (kept.size < MAX_KEPT) break;
        kept.delete(oldest);
      }
      const image = whole(wanted);
      kept.set(key, image);
      image.catch(() => {
        if (kept.get(key) === image) kept.delete(key);
      });
      return image;
    },
    take: (portion) => waiting.get(keyOf(portion))?.(Buffer.from(portion.bytes, 'base64')),
  };
}
