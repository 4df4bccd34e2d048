/** The kinds of what agents propose and a person confirms. */
export const KINDS = ['write', 'plan', 'firmware'] as const;
export type KindName = (typeof KINDS)[number];

/** What tells the kinds of cards apart. */
export const kindOf = ({
  firmware,
  steps,
}: {
  firmware: unknown;
  steps: readonly unknown[];
}): KindName => {
  if (firmware !== null) return 'firmware';
  return steps.length > 0 ? 'plan' : 'write';
};
