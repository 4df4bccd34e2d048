import type { Clock } from '../../../src/kernel/clock.ts';
import { DriverFailure, type DriverPoint, type Reading } from '../../sdk/driver.ts';
import { CodecError } from '../codec/codec.ts';
import { type Resource, resourceOf } from '../codec/resource.ts';
import type { Registration } from '../registration/registration.ts';
import { MAX_PATHS, mayCompose, readComposite } from './composite.ts';
import type { Send } from './request.ts';

type Wanted = Resource & { pointId: string };

/** Reads many points of a device in few exchanges, where the device takes that. */
export type CompositeReads = {
  /**
   * The readings by point id; points that the device left out are missing, and all where it does not take composite
   * reads, which is remembered as long as its registration lives. Throws `DriverFailure` for one that does not answer.
   */
  read(
    send: Send,
    target: { registration: Registration; deadline: number },
    points: readonly DriverPoint[],
  ): Promise<ReadonlyMap<string, Reading>>;
};

const MAX_SILENCES = 3;
/** The request did not reach the device, which says nothing of what it takes. */
const UNSENT = new Set([
  'COAP_EXPIRED_IN_QUEUE',
  'COAP_QUEUE_FULL',
  'COAP_BAD_REQUEST',
  'COAP_CLOSED',
]);

export function createCompositeReads(clock: Clock): CompositeReads {
  const refusing = new WeakSet<Registration>();
  /** Reads in a row without an answer. */
  const silences = new WeakMap<Registration, number>();

  return {
    async read(send, target, points) {
      const { registration } = target;
      const readings = new Map<string, Reading>();
      const wanted = points.flatMap(wantedOf);
      for (let at = 0; at < wanted.length; at += MAX_PATHS) {
        if (!mayCompose(registration) || refusing.has(registration)) break;
        const part = wanted.slice(at, at + MAX_PATHS);
        // One path is a plain read, which every device takes.
        if (part.length < 2) break;
        try {
          const pack = await readComposite(
            send,
            target,
            part.map(({ path }) => path),
          );
          silences.delete(registration);
          for (const { pointId, path, type } of part) {
            const rawValue = newestIn(() => pack.newestOf(path, type));
            if (rawValue !== null) readings.set(pointId, { rawValue, originTime: clock.now() });
          }
        } catch (error) {
          if (!(error instanceof DriverFailure)) throw error;
          if (UNSENT.has(error.code)) throw error;
          const isSilent = error.code === 'TIMEOUT';
          const silent = isSilent ? (silences.get(registration) ?? 0) + 1 : MAX_SILENCES;
          silences.set(registration, silent);
          // Also one that is silent again: it may answer everything but this.
          if (silent >= MAX_SILENCES) refusing.add(registration);
          if (isSilent) throw error;
        }
      }
      return readings;
    },
  };
}

/** Null for what the device left out, or that is no value of the point: a read of its own says why. */
function newestIn(read: () => string | null): string | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError) return null;
    throw error;
  }
}

function wantedOf(point: DriverPoint): Wanted[] {
  try {
    const resource = resourceOf(point);
    return resource.executable ? [] : [{ pointId: point.id, ...resource }];
  } catch (error) {
    if (error instanceof DriverFailure) return [];
    throw error;
  }
}
