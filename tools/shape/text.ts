import { z } from 'zod';

import { clean } from '../../src/core/sentence/visible.ts';

/** A text of a device or user in a tool's result: it leaves cleaned and capped. */
export const Shown = (max = 64) => z.string().overwrite((text) => clean(text, max));

/** A sentence of an outcome: its parts are capped, so that it is never cut in the middle. */
export const Said = Shown(800);
