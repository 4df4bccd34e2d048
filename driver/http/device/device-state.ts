import type { Clock } from '../../../src/kernel/clock.ts';
import type { Driver } from '../../sdk/driver.ts';

/** What is known of whether a device is there, from what it pushes, or from what it answers. */
export class DeviceState {
  readonly #clock: Clock;
  #pushedAt: number | null = null;
  /** Why the last push was not taken, or not all of it; a wrong signature may be anybody's. */
  #problem: string | null = null;
  #answer: { isThere: boolean; problem: string | null } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It pushed now; `problem` is what was wrong with it. */
  pushed(problem: string | null): void {
    this.#pushedAt = this.#clock.elapsed();
    this.#problem = problem;
  }

  /** A request in its name that was not taken. */
  refused(problem: string): void {
    this.#problem = problem;
  }

  /** It was asked for its values. */
  answered(isThere: boolean, problem: string | null): void {
    this.#answer = { isThere, problem };
  }

  /** Of a device that is asked. */
  asked(): ReturnType<Driver['status']> {
    if (!this.#answer) return offline('it has not been asked yet');
    const { isThere, problem } = this.#answer;
    return isThere
      ? { status: 'ONLINE', description: problem ?? 'it answers' }
      : offline(problem ?? 'it does not answer');
  }

  /** Of a device that pushes; `where`: how, for one that has not yet. */
  status(silentS: number, where: string): ReturnType<Driver['status']> {
    const sinceMs = this.#pushedAt === null ? null : this.#clock.elapsed() - this.#pushedAt;
    const problem = this.#problem === null ? '' : `; ${this.#problem}`;
    if (sinceMs === null) return offline(`nothing came from it yet by ${where}${problem}`);
    if (sinceMs <= silentS * 1000) return { status: 'ONLINE', description: `it pushes${problem}` };
    return offline(`silent for ${Math.floor(sinceMs / 1000)} s${problem}`);
  }
}

const offline = (description: string) => ({ status: 'OFFLINE', description }) as const;
