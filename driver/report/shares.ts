/** Values of all tenants that are not handed on yet, and the least that each may have. */
const MAX_WAITING = 20_000;
const LEAST_SHARE = 100;

/** Bounds what waits to be handed on: the tenants with something waiting share the whole. */
export class Shares {
  readonly #waiting = new Map<string, number>();
  readonly #held = new Set<{ tenantId: string; go: () => void }>();

  take(tenantId: string, values: number): void {
    this.#waiting.set(tenantId, this.#of(tenantId) + values);
  }

  free(tenantId: string, values: number): void {
    const left = this.#of(tenantId) - values;
    if (left > 0) this.#waiting.set(tenantId, left);
    else this.#waiting.delete(tenantId);
    for (const held of this.#held) {
      if (!this.hasRoom(held.tenantId)) continue;
      this.#held.delete(held);
      held.go();
    }
  }

  /** Calls `go` once the tenant may take more, which may be at once; until then its broker is not read from. */
  whenRoom(tenantId: string, go: () => void): void {
    if (this.hasRoom(tenantId)) return go();
    this.#held.add({ tenantId, go });
  }

  /** Whether the tenant may take more now. */
  hasRoom(tenantId: string): boolean {
    const tenants = Math.max(1, this.#waiting.size);
    return this.#of(tenantId) < Math.max(LEAST_SHARE, MAX_WAITING / tenants);
  }

  #of(tenantId: string): number {
    return this.#waiting.get(tenantId) ?? 0;
  }
}
