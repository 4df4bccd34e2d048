const MAX_WRONG = 20;
const MAX_ANSWER_MS = 5_000;

/** What became of the inputs of one surface. */
export class Tally {
  inputs = 0;
  slowestMs = 0;
  /** How many were wrong; the first of them are described in `wrong`. */
  failures = 0;
  readonly wrong: string[] = [];
  readonly #outcomes = new Map<string, number>();

  /** Counts one input: its outcome, its time, and what was wrong with the answer, if anything. */
  count(outcome: string | number, ms: number, wrong: string | null, input: string): void {
    this.inputs += 1;
    this.slowestMs = Math.max(this.slowestMs, ms);
    const key = String(outcome);
    this.#outcomes.set(key, (this.#outcomes.get(key) ?? 0) + 1);
    if (wrong !== null) this.fail(`${wrong}: ${input}`);
    else if (ms > MAX_ANSWER_MS) this.fail(`took ${Math.round(ms)} ms: ${input}`);
  }

  fail(text: string): void {
    this.failures += 1;
    if (this.wrong.length < MAX_WRONG) this.wrong.push(text.slice(0, 600));
  }

  /** `200 ×12, 400 ×88`, the most frequent first. */
  outcomes(): string {
    return [...this.#outcomes]
      .toSorted(([, a], [, b]) => b - a)
      .map(([outcome, count]) => `${outcome} ×${count}`)
      .join(', ');
  }

  has(outcome: string | number): boolean {
    return this.#outcomes.has(String(outcome));
  }
}
