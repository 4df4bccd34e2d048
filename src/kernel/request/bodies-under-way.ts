import { CountByKey } from '../count.ts';
import { TooManyRequests } from '../errors.ts';
import { slot } from '../slot.ts';

const MIB = 1024 * 1024;
/** Bytes of bodies that a process holds at a time; no source and no tenant can take them all. */
const MOST: Limits = { source: 64 * MIB, tenant: 64 * MIB, all: 128 * MIB };
const RETRY_S = 1;

type Limits = Readonly<Record<'source' | 'tenant' | 'all', number>>;

/** Where a body comes from: the source of its request, and the tenant once the caller is known. */
export type Sender = { source: string; tenantId?: string | undefined };

/** The bytes of one body. */
export type Held = {
  /** Counts more of it; throws TooManyRequests above a limit. */
  add(bytes: number): void;
  /** Once the request has ended, whatever way; more than once is no harm. */
  release(): void;
};

/** Counts the bytes of bodies from their arrival to the end of their requests. */
export class BodiesUnderWay {
  readonly #bytes = new CountByKey();
  readonly #limits: Limits;

  constructor(limits: Limits = MOST) {
    this.#limits = limits;
  }

  hold({ source, tenantId }: Sender): Held {
    const counted: [key: string, limit: number][] = [
      ['all', this.#limits.all],
      [`source ${source}`, this.#limits.source],
    ];
    if (tenantId !== undefined) counted.push([`tenant ${tenantId}`, this.#limits.tenant]);
    let held = 0;
    return {
      add: (bytes) => {
        if (counted.some(([key, limit]) => this.#bytes.of(key) + bytes > limit))
          throw new TooManyRequests('Too many bytes of bodies are under way', RETRY_S);
        held += bytes;
        for (const [key] of counted) this.#bytes.add(key, bytes);
      },
      release: () => {
        for (const [key] of counted) this.#bytes.add(key, -held);
        held = 0;
      },
    };
  }

  /** Bytes that are held now. */
  get total(): number {
    return this.#bytes.of('all');
  }
}

export const BODIES_UNDER_WAY = slot(() => new BodiesUnderWay());
