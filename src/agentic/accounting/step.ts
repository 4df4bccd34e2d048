import type { Usage } from '../../../providers/request/provider.ts';
import type { Price } from './price.ts';

export const STEP_END = { OK: 0, FAILED: 1, LEFT: 2 } as const;
type StepEnd = keyof typeof STEP_END;

/** One request to a model, answered or not. */
export type Step = {
  provider: string;
  model: string;
  usage: Required<Usage>;
  /** The vendor named no usage: the tokens are counted by the length of the texts. */
  isEstimated: boolean;
  price: Price | null;
  end: StepEnd;
  /** What the vendor said in place of an answer, for administrators; '' else. */
  reason: string;
  /** Until the first text or call, in ms; null: none came. */
  firstTokenMs: number | null;
  durationMs: number;
};
