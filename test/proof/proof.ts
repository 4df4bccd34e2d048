/** A full-size run: prints as it goes, gives its report as Markdown lines and how much was wrong. */
export type Proof = (tools: {
  print(line: string): void;
  /** What the command line narrows the run to; empty for all of it. */
  only: string;
}) => Promise<{ failed: number; report: readonly string[] }>;

/** The lines of a report, each printed as it is added. */
export function linesOf(print: (line: string) => void) {
  const lines: string[] = [];
  const say = (line: string): void => {
    print(line);
    lines.push(line);
  };
  return { lines, say };
}
