import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { NotFound } from '../../kernel/errors.ts';
import { input } from '../../kernel/input/input.ts';
import { stopElsewhere, stopTurn } from './answer/recording/recording.ts';

export const TurnId = z
  .string()
  .regex(/^chatcmpl-[0-9a-f]{24}$/, 'must be the id of a turn')
  .meta({ examples: ['chatcmpl-5f0c9a7d1e2b3a4c5d6e7f80'] });
export const ByTurn = input({ turn: TurnId });

/** Ends an own turn, in whatever process it runs; throws NotFound. */
export const stop: Operation<z.output<typeof ByTurn>, true> = async (app, caller, { turn }) => {
  if (!stopTurn(app, caller, turn) && !(await stopElsewhere(app, caller, turn)))
    throw new NotFound('A turn of this id that runs');
  return true;
};
