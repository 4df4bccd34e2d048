import { z } from 'zod';

/** Unicode the database or JSON cannot keep: NUL and lone surrogates. */
const storable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Text of at most `max` characters that every part of the platform can store. */
export const Text = (max: number) =>
  z.string().max(max).refine(storable, 'must not contain NUL or broken Unicode');

/** A name as people give it (reference/data-model.md, pattern P2). */
export const Name = Text(32).regex(
  /^[A-Za-z0-9一-龥][A-Za-z0-9一-龥\-_#@/.| ]{1,31}$/,
  'must be 2 to 32 letters, digits or -_#@/.|',
);

/** A code-like name (pattern P1): tenant codes, logins. */
export const Code = Text(32).regex(
  /^[A-Za-z0-9][A-Za-z0-9\-_#@/.|]{1,31}$/,
  'must be 2 to 32 letters, digits or -_#@/.|',
);
