import type { AttributeType } from '../../bus/topic/topics.ts';
import { canonical } from '../../manager/entity/value-type.ts';
import type { Verification } from './state.ts';

/** FLOAT has about seven significant digits. */
const FLOAT_RELATIVE = 1e-6;
const DOUBLE_RELATIVE = 1e-12;

/**
 * Compares the read-back with the requested value: FLOAT and DOUBLE within half a unit of the point's last
 * decimal or the precision of the type, whole numbers and text exactly, booleans by meaning. Without a
 * read-back: UNVERIFIED.
 */
export function verify(
  { type, decimals }: { type: AttributeType; decimals: number },
  requested: string,
  readBack: string | null,
): keyof typeof Verification {
  if (readBack === null) return 'UNVERIFIED';
  const wanted = canonical(type, requested);
  const held = canonical(type, readBack);
  if (wanted === null || held === null) return 'MISMATCH';
  return equal(type, decimals, wanted, held) ? 'VERIFIED' : 'MISMATCH';
}

function equal(type: AttributeType, decimals: number, wanted: string, held: string): boolean {
  if (wanted === held) return true;
  if (type !== 'FLOAT' && type !== 'DOUBLE') return false;
  const relative = type === 'FLOAT' ? FLOAT_RELATIVE : DOUBLE_RELATIVE;
  const tolerance = Math.max(
    0.5 * 10 ** -decimals * (1 + DOUBLE_RELATIVE),
    Math.abs(Number(wanted)) * relative,
  );
  return Math.abs(Number(wanted) - Number(held)) <= tolerance;
}
