import type { History, Evaluated } from './decide.ts';

/** Number of report ids kept, more than the bus redelivers. */
const MAX_SEEN = 64;

/** The ids of the newest reports that the state has processed. */
export function seenReports({ entityStateExt: { seenReports: seen } }: History): string[] {
  return Array.isArray(seen) ? seen.filter((id) => typeof id === 'string') : [];
}

/** Reception time (ms) of the last value for a `nodata` rule; 0 = never. */
export const lastSeenTime = ({ entityStateExt: { heardTime: time } }: History): number =>
  typeof time === 'number' ? time : 0;

/** The ext of a state with the fact recorded. */
export function remembered(
  { rule, fact, now }: Evaluated,
  state: History,
): Record<string, unknown> {
  const ext = state.entityStateExt;
  if (rule.target === 'EVENT' && fact.reportId !== undefined)
    return { ...ext, seenReports: [...seenReports(state), fact.reportId].slice(-MAX_SEEN) };
  if (rule.content.condition.operator === 'nodata' && !fact.silentFor)
    return { ...ext, heardTime: now };
  return ext;
}
