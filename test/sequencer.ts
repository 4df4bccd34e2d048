import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds that each file took in a whole run, by project and path; `SVC_TEST_TIMINGS=1` writes them. */
export const TIMINGS = 'test/timings.json';

/** What a file takes that no run has seen. */
const UNSEEN_SECONDS = 5;

/** The name of a file in the timings: `postgres test/api/device.test.ts`. */
export const nameOf = (project: string, path: string): string =>
  `${project} ${relative('.', path)}`;

export const timingsSoFar = (): Record<string, number> =>
  existsSync(TIMINGS) ? JSON.parse(readFileSync(TIMINGS, 'utf8')) : {};
const timings = timingsSoFar();
const secondsOf = ({ project, moduleId }: TestSpecification): number =>
  timings[nameOf(project.name, moduleId)] ?? (existsSync(TIMINGS) ? 0.5 : UNSEEN_SECONDS);

/**
 * A worker that is not isolated ends when the next file is of another project, and the next one loads every module
 * again: the files of such a project stay together, behind those that begin anew anyway.
 */
const togetherAs = ({ project }: TestSpecification): string =>
  project.config.isolate ? '' : project.name;

/** Files that take long begin first, so that none is left alone at the end; shards take equally long. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = files.toSorted((a, b) => secondsOf(b) - secondsOf(a));
    const groups = Map.groupBy(sorted, togetherAs);
    const names = [...groups.keys()].toSorted();
    return Promise.resolve(names.flatMap((name) => groups.get(name) ?? []));
  }

  override shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index = 1, count = 1 } = this.ctx.config.shard ?? {};
    const shards = Array.from({ length: count }, () => ({ seconds: 0, files: [] as typeof files }));
    for (const file of files.toSorted((a, b) => secondsOf(b) - secondsOf(a) || order(a, b))) {
      const least = shards.reduce((one, other) => (other.seconds < one.seconds ? other : one));
      least.seconds += secondsOf(file);
      least.files.push(file);
    }
    return Promise.resolve(shards[index - 1]?.files ?? []);
  }
}

const order = (a: TestSpecification, b: TestSpecification): number =>
  nameOf(a.project.name, a.moduleId).localeCompare(nameOf(b.project.name, b.moduleId));
