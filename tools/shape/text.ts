import { z } from 'zod';

import { untrusted } from '../../src/auth/connection/untrusted.ts';
import { DEVICE_WORDS, NAME_WORDS } from '../../src/kernel/sentence/free-text.ts';
import { clean } from '../../src/kernel/sentence/visible.ts';
import { MAX_UNIT } from '../../src/kernel/sentence/voice.ts';

const cleaned = (max: number) => z.string().overwrite((text) => clean(text, max));

/** Text of a user in a tool's result, a name mostly: cleaned, and cut to `max` characters. */
export const Visible = (max = 64) => cleaned(max).register(untrusted, { words: NAME_WORDS });

/** A name of a row without names of fields: what its other texts are of. */
export const NameOf = (names: 'device' | 'point') =>
  cleaned(64).register(untrusted, { words: NAME_WORDS, names });

/** The same of a device or driver: a value, a code, a message. */
export const Reported = (max = 64) => cleaned(max).register(untrusted, { words: DEVICE_WORDS });

/** The unit of a point, as short as in sentences. */
export const Unit = Reported(MAX_UNIT);

/** A sentence of the platform, in which the texts of others are quoted (src/kernel/sentence/voice.ts). */
export const Phrase = (max: number) => cleaned(max).register(untrusted, { words: 'quoted' });

/** A sentence of an outcome, also of several writes: its parts are cut, so that the sentence itself is not. */
export const Sentence = Phrase(2_400);
