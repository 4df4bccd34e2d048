import { latestOf, type LatestValue } from '../../data/value/latest-value.ts';
import type { Queries } from '../../db/connect.ts';
import { amount, byName } from '../../kernel/sentence/voice.ts';
import { lengthWords } from '../kind/duration.ts';

type Place = { tenantId: string; deviceId: string; pointId: string };

/** What the point of an alarm has now, in words; empty for an alarm of no point, and of several devices. */
export async function presentTextOf(
  q: Queries,
  { tenantId, deviceId, pointId }: Place,
  now: number,
): Promise<string> {
  if (pointId === '0' || deviceId === '0') return '';
  const [latest] = await latestOf(q, tenantId, [{ deviceId, pointId }], now);
  return presentText(latest);
}

type Present = Pick<
  LatestValue,
  'calValue' | 'unit' | 'hasLatestValue' | 'quality' | 'ageS' | 'stale' | 'valueIssue'
>;

/** `96 °C, measured 12 s ago`; a value that cannot be trusted is said as the last one. */
export function presentText(latest: Present | undefined): string {
  if (!latest?.hasLatestValue) return 'unknown, it has no value';
  const { calValue, unit, quality, ageS, stale, valueIssue } = latest;
  const value = amount(calValue, unit, byName);
  const measured = `measured ${lengthWords((ageS ?? 0) * 1_000)} ago`;
  if (quality === 'GOOD' && valueIssue === null) return `${value}, ${measured}`;
  const why = quality === 'BAD' ? 'is bad' : stale ? 'is stale' : 'is uncertain';
  return `unknown: the last value, ${value}, ${measured}, ${why}`;
}
