/** What a vendor was sent, as every dialect says it. */
export type Heard = {
  /** All text of the request: instructions, what was said before, results of tools. */
  text: string;
  /** Results of the tools of this turn, oldest first. */
  results: readonly unknown[];
};

type Call = readonly [tool: string, input: object | string];

/** One answer of the model: text, or calls whose input may be text that is no JSON. */
export type Said = { say: string } | { calls: readonly Call[] };

/** The answers of a model in one turn, one for each request; a step may use what the tools answered. */
export type Transcript = readonly (Said | ((heard: Heard) => Said))[];

/** The answer to the request that a transcript has reached. */
export function saidTo(transcript: Transcript, round: number, heard: Heard): Said {
  const step = transcript[round];
  if (step === undefined) return { say: 'The transcript is over.' };
  return typeof step === 'function' ? step(heard) : step;
}

/** A value inside a result, by keys and places; undefined where there is none. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = new Map<string, unknown>(Object.entries(current)).get(String(key));
  }
  return current;
}

/** The same as text, what has parts as JSON; '' where there is none. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path) ?? '';
  return typeof found === 'string' ? found : JSON.stringify(found);
}
