/** The kinds of what agents propose and a person confirms. */
export const KINDS = ['write', 'plan', 'firmware', 'command'] as const;
export type KindName = (typeof KINDS)[number];

/** What tells the kinds of cards apart. */
export const kindOf = ({
  firmware,
  call,
  steps,
}: {
  firmware: unknown;
  call: unknown;
  steps: readonly unknown[];
}): KindName => {
  if (firmware !== null) return 'firmware';
  if (call !== null) return 'command';
  return steps.length > 0 ? 'plan' : 'write';
};
