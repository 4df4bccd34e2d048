import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';

import type { Log } from '../../../src/kernel/process/log.ts';
import { GapFile, Gaps } from './gaps.ts';
import { type Batch, decode, encode } from './record.ts';

/** A segment of this size gets no more; the oldest of a tenant is what makes room. */
const SEGMENT_BYTES = 256 * 1024;
const SEGMENT = /^(\d{1,15})\.values$/;
const GAPS = 'dropped.json';
const TENANT = /^[1-9]\d{0,18}$/;

type Segment = { number: number; bytes: number; isSending: boolean };
type Tenant = {
  id: string;
  /** The oldest first. */
  segments: Segment[];
  bytes: number;
  /** Of the last segment while it grows. */
  handle: FileHandle | null;
  /** The last number in use. */
  last: number;
  gaps: Gaps;
};

/** A segment that is being sent: it is not dropped meanwhile. */
export type Sending = {
  batches: readonly Batch[];
  /** All of it is delivered. */
  sent(): Promise<void>;
  /** Some of it may be: it is sent again as a whole, and stored once. */
  giveBack(): void;
};

type Parts = {
  folder: string;
  /** Bound of all segments together. */
  maxBytes: number;
  log: Log;
  /** Called with the number of values whenever some are dropped. */
  dropped: (values: number) => void;
};

/**
 * Values on disk, in the order in which they came, until the message bus takes them: a folder for each tenant with
 * numbered segments, each record synced before `add` resolves. Beyond `maxBytes` the oldest segment of the tenant that
 * has the most is dropped, so a tenant with less than its share loses nothing; what was dropped is stored as gaps.
 */
export class Spool {
  readonly #parts: Parts;
  readonly #tenants = new Map<string, Tenant>();
  #bytes = 0;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** With what an earlier process left. */
  static async open(parts: Parts): Promise<Spool> {
    const spool = new Spool(parts);
    await mkdir(parts.folder, { recursive: true, mode: 0o700 });
    for (const id of await readdir(parts.folder)) if (TENANT.test(id)) await spool.#load(id);
    return spool;
  }

  /** Of all segments on disk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The tenants with something to send. */
  waiting(): string[] {
    return [...this.#tenants.values()]
      .filter(({ segments, gaps }) => segments.length > 0 || !gaps.isEmpty)
      .map(({ id }) => id);
  }

  /** Resolves when the batch is on disk; rejects when the disk does not take it. */
  add(batch: Batch): Promise<void> {
    return this.#inTurn(async () => {
      const record = encode(batch);
      await this.#makeRoom(record.length);
      const tenant = this.#tenants.get(batch.tenantId) ?? (await this.#begin(batch.tenantId));
      const segment = tenant.handle ? tenant.segments.at(-1) : undefined;
      await this.#append(tenant, segment ?? (await this.#grow(tenant)), record);
    });
  }

  /** The oldest segment of a tenant; null without one. */
  take(tenantId: string): Promise<Sending | null> {
    return this.#inTurn(async () => {
      const tenant = this.#tenants.get(tenantId);
      const segment = tenant?.segments[0];
      if (!tenant || !segment) return null;
      if (tenant.segments.length === 1) await endSegment(tenant);
      const batches = await this.#read(tenant, segment);
      segment.isSending = true;
      return {
        batches,
        sent: () => this.#inTurn(() => this.#remove(tenant, segment)),
        giveBack: () => {
          segment.isSending = false;
        },
      };
    });
  }

  /** What was dropped of a tenant and is not reported yet, to be given back if that fails. */
  takeGaps(tenantId: string): Gaps {
    const tenant = this.#tenants.get(tenantId);
    const gaps = tenant?.gaps ?? new Gaps();
    if (tenant) tenant.gaps = new Gaps();
    return gaps;
  }

  giveBackGaps(tenantId: string, gaps: Gaps): void {
    this.#tenants.get(tenantId)?.gaps.merge(gaps);
  }

  gapsReported(tenantId: string): Promise<void> {
    return this.#inTurn(async () => {
      const tenant = this.#tenants.get(tenantId);
      if (tenant) await this.#storeGaps(tenant);
    });
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      for (const tenant of this.#tenants.values()) await endSegment(tenant);
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  #fileOf(tenant: Tenant, { number }: Segment): string {
    return join(this.#parts.folder, tenant.id, `${String(number).padStart(15, '0')}.values`);
  }

  async #begin(id: string): Promise<Tenant> {
    await mkdir(join(this.#parts.folder, id), { recursive: true, mode: 0o700 });
    return this.#known(id, new Gaps());
  }

  #known(id: string, gaps: Gaps): Tenant {
    const tenant: Tenant = { id, segments: [], bytes: 0, handle: null, last: 0, gaps };
    this.#tenants.set(id, tenant);
    return tenant;
  }

  async #load(id: string): Promise<void> {
    const { folder, log } = this.#parts;
    const names = await readdir(join(folder, id));
    const { dropping, gaps } = await this.#storedGaps(id, names.includes(GAPS));
    const tenant = this.#known(id, new Gaps(gaps));
    tenant.last = dropping;
    for (const name of names.toSorted()) {
      const number = Number(SEGMENT.exec(name)?.[1] ?? 0);
      const file = join(folder, id, name);
      if (number === 0) continue;
      tenant.last = Math.max(tenant.last, number);
      // It was counted as dropped, and the process ended before it was removed.
      if (number === dropping) await rm(file);
      else {
        const { size: bytes } = await stat(file);
        tenant.segments.push({ number, bytes, isSending: false });
        tenant.bytes += bytes;
        this.#bytes += bytes;
      }
    }
    if (tenant.bytes > 0) log.info({ tenantId: id, bytes: tenant.bytes }, 'values wait on disk');
  }

  async #storedGaps(id: string, isThere: boolean): Promise<GapFile> {
    if (!isThere) return { dropping: 0, gaps: [] };
    try {
      const text = await readFile(join(this.#parts.folder, id, GAPS), 'utf8');
      return GapFile.parse(JSON.parse(text));
    } catch (error) {
      this.#parts.log.warn({ tenantId: id, error }, 'the dropped values of a spool are not known');
      return { dropping: 0, gaps: [] };
    }
  }

  async #grow(tenant: Tenant): Promise<Segment> {
    tenant.last += 1;
    const segment = { number: tenant.last, bytes: 0, isSending: false };
    tenant.handle = await open(this.#fileOf(tenant, segment), 'wx', 0o600);
    tenant.segments.push(segment);
    // The name of the file, which a sync of its content need not store.
    const folder = await open(join(this.#parts.folder, tenant.id), 'r');
    await folder.sync().finally(() => folder.close());
    return segment;
  }

  async #append(tenant: Tenant, segment: Segment, record: Buffer): Promise<void> {
    const { handle } = tenant;
    if (!handle) throw new Error('the segment is closed');
    try {
      await handle.appendFile(record);
      await handle.datasync();
    } catch (error) {
      // What follows a torn record could not be read.
      await endSegment(tenant);
      throw error;
    } finally {
      segment.bytes += record.length;
      tenant.bytes += record.length;
      this.#bytes += record.length;
    }
    if (segment.bytes >= SEGMENT_BYTES) await endSegment(tenant);
  }

  async #makeRoom(bytes: number): Promise<void> {
    while (this.#bytes + bytes > this.#parts.maxBytes) {
      const [most] = [...this.#tenants.values()]
        .filter(({ segments }) => segments.some(({ isSending }) => !isSending))
        .toSorted((one, other) => other.bytes - one.bytes);
      if (!most) return;
      await this.#drop(most);
    }
  }

  async #drop(tenant: Tenant): Promise<void> {
    const { log, dropped } = this.#parts;
    const segment = tenant.segments.find(({ isSending }) => !isSending);
    if (!segment) return;
    if (segment === tenant.segments.at(-1)) await endSegment(tenant);
    const values = tenant.gaps.add(await this.#read(tenant, segment));
    await this.#storeGaps(tenant, segment.number);
    await this.#remove(tenant, segment);
    dropped(values);
    log.warn(
      { tenantId: tenant.id, values },
      'values were dropped: the message bus is unavailable and the spool is full',
    );
  }

  async #read(tenant: Tenant, segment: Segment): Promise<Batch[]> {
    const { batches, isTorn } = decode(await readFile(this.#fileOf(tenant, segment)));
    if (isTorn)
      this.#parts.log.warn(
        { tenantId: tenant.id, segment: segment.number },
        'the last record of a segment of the spool was not written whole and is ignored',
      );
    return batches;
  }

  async #remove(tenant: Tenant, segment: Segment): Promise<void> {
    await rm(this.#fileOf(tenant, segment), { force: true });
    tenant.segments = tenant.segments.filter((each) => each !== segment);
    tenant.bytes -= segment.bytes;
    this.#bytes -= segment.bytes;
  }

  /** Replaces the file at once, so that none is read in part; without gaps there is none. */
  async #storeGaps(tenant: Tenant, dropping = 0): Promise<void> {
    const file = join(this.#parts.folder, tenant.id, GAPS);
    if (tenant.gaps.isEmpty) return rm(file, { force: true });
    const text = JSON.stringify({ dropping, gaps: tenant.gaps.list() });
    await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
    await rename(`${file}.new`, file);
  }
}

async function endSegment(tenant: Tenant): Promise<void> {
  const { handle } = tenant;
  tenant.handle = null;
  await handle?.close();
}
