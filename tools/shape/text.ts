import { z } from 'zod';

import { clean } from '../../src/core/sentence/visible.ts';

/** Text of a device or user in a tool's result: cleaned, and cut to `max` characters. */
export const Shown = (max = 64) => z.string().overwrite((text) => clean(text, max));

/** A sentence of an outcome: its parts are cut, so that the sentence itself is not. */
export const Said = Shown(800);

const GENERATED = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether a person gave this code; one that the platform made says nothing. */
export const isGiven = (code: string): boolean => !GENERATED.test(code);
