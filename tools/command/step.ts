import { z } from 'zod';

import type { ActionView } from '../../src/agentic/action/view.ts';
import { Sentence, Visible, Unit } from '../shape/text.ts';

type Step = ActionView['steps'][number];

/** What became of one of several writes. */
export const stepFields = {
  status: z.string().optional(),
  say: Sentence.optional(),
  commandId: z.string().optional(),
};

/** One of several writes, without its card. */
export const Step = z.object({
  deviceName: Visible(),
  pointName: Visible(),
  proposedValue: Visible(256),
  unit: Unit.optional(),
  ...stepFields,
});

export const outcomeOfStep = ({ status, say, commandId }: Step) => ({
  status,
  say,
  ...(commandId !== null && { commandId }),
});

export const stepOf = (step: Step) => ({
  deviceName: step.deviceName,
  pointName: step.pointName,
  proposedValue: step.proposedValue,
  ...(step.unit !== '' && { unit: step.unit }),
  ...outcomeOfStep(step),
});
