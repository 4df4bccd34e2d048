import type { Clock } from '../../src/kernel/clock.ts';
import type { Block } from './message/block.ts';
import { blockBytes } from './message/block.ts';
import { Code } from './message/message.ts';

type Upload = {
  key: string;
  peer: string;
  host: string;
  contentFormat: number | null;
  parts: Buffer[];
  bytes: number;
  progressAt: number;
};

export type UploadLimits = {
  maxBodyBytes: number;
  maxTotalBytes: number;
  maxUploads: number;
  maxPerPeer: number;
  /** Over all ports of one address. */
  maxPerHost: number;
};

/** Result of a block: continue, the whole body, or an error code. */
export type UploadStep =
  | { outcome: 'continue' }
  | { outcome: 'complete'; body: Buffer }
  | { outcome: 'refused'; code: number };

const PROGRESS_TIMEOUT_MS = 93_000;

/**
 * Bodies that peers send in blocks, keyed by peer, method and URI and not by token: clients may use a new
 * token for each block (RFC 7959 2.3). A body without progress for 93 s is dropped; with too many bodies,
 * of one address or in all, the one without progress for longest is dropped.
 */
export class Uploads {
  #uploads = new Map<string, Upload>();
  #bytes = 0;
  #clock: Clock;
  #limits: UploadLimits;

  constructor(clock: Clock, limits: UploadLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get maxBodyBytes(): number {
    return this.#limits.maxBodyBytes;
  }

  /** Accepts one block; `announced` is Size1 (RFC 7959 2.5, 2.9). */
  take(
    from: {
      key: string;
      peer: string;
      host: string;
      contentFormat: number | null;
      announced: number | null;
    },
    block: Block,
    payload: Buffer,
  ): UploadStep {
    const size = blockBytes(block.szx);
    const offset = block.number * size;
    if (block.more ? payload.length !== size : payload.length > size)
      return refused(Code.BAD_REQUEST);
    if ((from.announced ?? 0) > this.#limits.maxBodyBytes) return this.#tooLarge(from.key);
    if (offset + payload.length > this.#limits.maxBodyBytes) return this.#tooLarge(from.key);
    if (block.number === 0) {
      this.#drop(from.key);
      if (!block.more) return { outcome: 'complete', body: payload };
      if (!this.#makeRoom(from)) return refused(Code.SERVICE_UNAVAILABLE);
      const { key, peer, host, contentFormat } = from;
      const progressAt = this.#clock.now();
      const fresh = { key, peer, host, contentFormat, parts: [], bytes: 0, progressAt };
      this.#uploads.set(key, fresh);
    }
    const upload = this.#uploads.get(from.key);
    if (!upload || upload.contentFormat !== from.contentFormat)
      return refused(Code.REQUEST_ENTITY_INCOMPLETE);
    // The same block under a new message id: only its answer was lost.
    if (offset + payload.length === upload.bytes && block.more) return { outcome: 'continue' };
    if (offset !== upload.bytes) return refused(Code.REQUEST_ENTITY_INCOMPLETE);
    if (this.#bytes + payload.length > this.#limits.maxTotalBytes) {
      this.#drop(from.key);
      return refused(Code.SERVICE_UNAVAILABLE);
    }
    upload.parts.push(payload);
    upload.bytes += payload.length;
    upload.progressAt = this.#clock.now();
    this.#bytes += payload.length;
    if (!block.more) {
      this.#drop(from.key);
      return { outcome: 'complete', body: Buffer.concat(upload.parts) };
    }
    // The map is in order of the last progress.
    this.#uploads.delete(from.key);
    this.#uploads.set(from.key, upload);
    return { outcome: 'continue' };
  }

  /** Drops bodies without progress; to be called now and then. */
  sweep(): void {
    const oldest = this.#clock.now() - PROGRESS_TIMEOUT_MS;
    for (const [key, { progressAt }] of this.#uploads) if (progressAt < oldest) this.#drop(key);
  }

  /** False when the peer has too many bodies in progress; of an address or in all the oldest is dropped. */
  #makeRoom({ peer, host }: { peer: string; host: string }): boolean {
    let ofPeer = 0;
    let ofHost = 0;
    let oldestOfHost: Upload | null = null;
    for (const upload of this.#uploads.values()) {
      if (upload.peer === peer) ofPeer++;
      if (upload.host !== host) continue;
      ofHost++;
      oldestOfHost ??= upload;
    }
    if (ofPeer >= this.#limits.maxPerPeer) return false;
    const [oldest] = this.#uploads.values();
    if (oldestOfHost && ofHost >= this.#limits.maxPerHost) this.#drop(oldestOfHost.key);
    else if (oldest && this.#uploads.size >= this.#limits.maxUploads) this.#drop(oldest.key);
    return true;
  }

  #tooLarge(key: string): UploadStep {
    this.#drop(key);
    return refused(Code.REQUEST_ENTITY_TOO_LARGE);
  }

  #drop(key: string): void {
    const upload = this.#uploads.get(key);
    if (!upload) return;
    this.#uploads.delete(key);
    this.#bytes -= upload.bytes;
  }
}

function refused(code: number): UploadStep {
  return { outcome: 'refused', code };
}
