import { CountByKey } from '../../src/kernel/count.ts';
import type { Address } from './contract.ts';
import type { Handshake } from './handshake.ts';
import { addressKey } from './sessions.ts';

const MAX_IN_ALL = 10_000;
/** Of one host, behind which may be many devices. */
const MAX_OF_HOST = 256;

/** Handshakes that were begun and not ended, bounded in all and for each host. */
export class HalfOpen {
  #byAddress = new Map<string, Handshake>();
  #byCid = new Map<string, Handshake>();
  #ofHost = new CountByKey();

  get size(): number {
    return this.#byAddress.size;
  }

  hasRoom({ address }: Address): boolean {
    return this.size < MAX_IN_ALL && this.#ofHost.of(address) < MAX_OF_HOST;
  }

  byAddress(address: Address): Handshake | undefined {
    return this.#byAddress.get(addressKey(address));
  }

  byCid(cid: Buffer): Handshake | undefined {
    return this.#byCid.get(cid.toString('latin1'));
  }

  add(from: Address, handshake: Handshake): void {
    this.#byAddress.set(addressKey(from), handshake);
    if (handshake.cid) this.#byCid.set(handshake.cid.toString('latin1'), handshake);
    this.#ofHost.add(from.address, 1);
  }

  remove(from: Address): void {
    const handshake = this.byAddress(from);
    if (!handshake) return;
    handshake.close();
    this.#byAddress.delete(addressKey(from));
    if (handshake.cid) this.#byCid.delete(handshake.cid.toString('latin1'));
    this.#ofHost.add(from.address, -1);
  }

  close(): void {
    for (const handshake of this.#byAddress.values()) handshake.close();
    this.#byAddress.clear();
    this.#byCid.clear();
    this.#ofHost = new CountByKey();
  }
}
