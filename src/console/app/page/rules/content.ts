import type { InputOf } from '../../client/call.ts';
import type { Schemas } from '../../client/operations.ts';

/** What a rule says, as the server takes it. */
export type Content = InputOf<'POST /data/rule/add'>['ruleExt']['content'];

/** What a stored rule says. The server stores what it has checked; the types of its answers know an object alone. */
export function contentOf({ ruleExt }: Pick<Schemas['Rule'], 'ruleExt'>): Content {
  const { content } = ruleExt;
  return isContent(content) ? content : { condition: { operator: 'nodata' } };
}

/** The unit that a stored rule shows its limits in. */
export function unitOf({ condition }: Content): string {
  return ('unit' in condition ? condition.unit : undefined) ?? '';
}

const isContent = (given: unknown): given is Content =>
  typeof given === 'object' && given !== null && 'condition' in given;
