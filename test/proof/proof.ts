/** A full-size run: prints as it goes, gives its report as Markdown lines and how much was wrong. */
export type Proof = (tools: {
  print(line: string): void;
  /** What the command line narrows the run to; empty for all of it. */
  only: string;
}) => Promise<{ failed: number; report: readonly string[] }>;
