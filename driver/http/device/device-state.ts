import type { Clock } from '../../../src/kernel/clock.ts';
import type { Driver } from '../../sdk/driver.ts';

/** Why the last push of a device was not taken, or not all of it; `wrong signature` may be anybody's. */
type Problem = 'a request with a wrong signature came' | (string & {});

/** What is known of whether a device is there, from what it pushes. */
export class DeviceState {
  readonly #clock: Clock;
  #pushedAt: number | null = null;
  #problem: Problem | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It pushed now; `problem` is what was wrong with it. */
  pushed(problem: Problem | null): void {
    this.#pushedAt = this.#clock.elapsed();
    this.#problem = problem;
  }

  /** A request in its name that was not taken. */
  refused(problem: Problem): void {
    this.#problem = problem;
  }

  /** Milliseconds since its last push; null before the first. */
  sinceMs(): number | null {
    return this.#pushedAt === null ? null : this.#clock.elapsed() - this.#pushedAt;
  }

  /** `where`: how it pushes, for one that has not yet. */
  status(silentS: number, where: string): ReturnType<Driver['status']> {
    const sinceMs = this.sinceMs();
    const problem = this.#problem === null ? '' : `; ${this.#problem}`;
    if (sinceMs === null) return offline(`nothing came from it yet by ${where}${problem}`);
    if (sinceMs <= silentS * 1000) return { status: 'ONLINE', description: `it pushes${problem}` };
    return offline(`silent for ${Math.floor(sinceMs / 1000)} s${problem}`);
  }
}

const offline = (description: string) => ({ status: 'OFFLINE', description }) as const;
