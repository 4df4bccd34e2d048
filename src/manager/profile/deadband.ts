import { isNumeric } from '../entity/value-type.ts';
import type { Point } from './point.ts';

/** Default dead-band: part of the span between the limits, or of the value without limits. */
const DEFAULT_PART = 0.01;
const FLOATING = 1e-9;

type Setting = Pick<Point, 'pointTypeFlag' | 'valueDecimal' | 'minValue' | 'maxValue' | 'deadband'>;

/**
 * Largest change of the point's value that counts as no change. By default one per cent of the span between
 * its limits, else of the value, but at least one unit of its last decimal. Null for text and booleans,
 * which have no distance.
 */
export function deadbandOf(point: Setting, value: string | null): number | null {
  const { pointTypeFlag, valueDecimal, minValue, maxValue, deadband } = point;
  if (!isNumeric(pointTypeFlag)) return null;
  if (deadband !== null) return deadband;
  const size = Math.abs(Number(value ?? 0));
  const span = minValue === null || maxValue === null ? size : maxValue - minValue;
  return Math.max(10 ** -valueDecimal, Number.isFinite(span) ? span * DEFAULT_PART : 0);
}

/** Whether the value moved by more than the dead-band. */
export function hasMoved(from: string | null, to: string | null, deadband: number | null): boolean {
  if (from === to) return false;
  if (from === null || to === null || from.trim() === '' || to.trim() === '') return true;
  const [a, b] = [Number(from), Number(to)];
  if (!Number.isFinite(a) || !Number.isFinite(b)) return true;
  const floating = FLOATING * Math.max(Math.abs(a), Math.abs(b));
  return Math.abs(a - b) > Math.max(deadband ?? 0, floating);
}
