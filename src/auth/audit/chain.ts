import { type Head, macOf, NO_HEAD, type Sealed, type SealedLog, TABLE_OF } from './sealed-log.ts';

/** A seal with the row that it covers, as they are now. */
export type SealRow = Omit<Sealed, 'log'> & { mac: string };

type Outside = Head & { at: string };

const MAX_FINDINGS = 20;
/** Limits how many rows with a wrong seal are compared with each other. */
const MAX_COMPARED = 200;

/** A row that is not as it was sealed, with the seal before it. */
type Misfit = { seal: SealRow; before: string; at: number };

/** Checks the seals of a log one after the other and says what does not fit, in sentences. */
export class Chain {
  readonly findings: string[] = [];
  more = 0;
  readonly #log: SealedLog;
  readonly #key: Buffer;
  readonly #outside = new Map<string, Outside[]>();
  #last = NO_HEAD;
  #misfits: Misfit[] = [];

  constructor(log: SealedLog, key: Buffer, outside: readonly Outside[]) {
    this.#log = log;
    this.#key = key;
    for (const head of outside)
      this.#outside.set(head.count, [...(this.#outside.get(head.count) ?? []), head]);
    this.#outside.delete(NO_HEAD.count);
  }

  /** The next seal in the order of `seq`. */
  take(seal: SealRow): void {
    const expected = String(BigInt(this.#last.count) + 1n);
    if (seal.seq === expected) this.#compare(seal, this.#last.mac);
    // What it was chained to is not known: its own place in the chain cannot be checked.
    else this.#removed(expected, String(BigInt(seal.seq) - 1n), seal);
    this.#compareOutside(seal);
    this.#last = { count: seal.seq, mac: seal.mac };
  }

  /** Says what is missing at the end; answers how far the chain has come. */
  end(): Head {
    this.#nameSwapped();
    for (const heads of this.#outside.values())
      for (const { at, count } of heads)
        this.find(
          `the outside head of ${at} counts ${count} rows, the database has ${this.#last.count} of them: rows and their seals after the last one were removed`,
        );
    return this.#last;
  }

  find(finding: string): void {
    if (this.findings.length < MAX_FINDINGS) this.findings.push(finding);
    else this.more += 1;
  }

  #compare(seal: SealRow, before: string): void {
    if (seal.content === null) return this.find(`${this.#named(seal)}: the row was deleted`);
    if (this.#fits(seal, before)) return;
    if (this.findings.length < MAX_FINDINGS && this.#misfits.length < MAX_COMPARED)
      this.#misfits.push({ seal, before, at: this.findings.length });
    this.find(`${this.#named(seal)}: the row or its seal was changed`);
  }

  #fits(seal: SealRow, before: string, content = seal.content): boolean {
    return macOf(this.#key, before, { log: this.#log, ...seal, content }) === seal.mac;
  }

  #removed(first: string, last: string, { rowId }: SealRow): void {
    const which = first === last ? `seal ${first} was` : `seals ${first} to ${last} were`;
    this.find(`${TABLE_OF[this.#log]}: ${which} removed, before the one of row ${rowId}`);
  }

  #compareOutside({ seq, mac, rowId }: SealRow): void {
    for (const head of this.#outside.get(seq) ?? [])
      if (head.mac !== mac)
        this.find(
          `${TABLE_OF[this.#log]} ${rowId}: seal ${seq} is not the one in the outside head of ${head.at}`,
        );
    this.#outside.delete(seq);
  }

  /** Two rows that each fit the seal of the other were exchanged. */
  #nameSwapped(): void {
    for (const one of this.#misfits) {
      const other = this.#misfits.find(
        ({ seal, before }) =>
          seal !== one.seal &&
          this.#fits(one.seal, one.before, seal.content) &&
          this.#fits(seal, before, one.seal.content),
      );
      if (other)
        this.findings[one.at] =
          `${this.#named(one.seal)}: exchanged with row ${other.seal.rowId}, each has what was sealed of the other`;
    }
  }

  #named = ({ rowId, seq }: SealRow): string => `${TABLE_OF[this.#log]} ${rowId} (seal ${seq})`;
}
