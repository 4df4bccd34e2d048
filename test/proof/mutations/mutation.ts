/** A way to break the platform, and the test that must notice. */
export type Mutation = {
  file: string;
  /** Stands there exactly once. */
  search: string;
  replace: string;
  /** Test file without `test/` and `.test.ts`, and part of the test's name. */
  test: readonly [file: string, name: string];
};

/** One row of a list of mutations. */
export const breaks = (
  file: string,
  search: string,
  replace: string,
  ...test: Mutation['test']
): Mutation => ({ file, search, replace, test });
