import { z } from 'zod';

/** Text as PostgreSQL stores it: no NUL and no lone surrogates, which devices and models may write. */
export const storable = (text: string): string =>
  isStorable(text) ? text : text.toWellFormed().replaceAll('\0', '\uFFFD');

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** Text of at most `max` characters that every part of the platform can store. */
export const Text = (max: number) =>
  z.string().max(max).refine(isStorable, 'must not contain NUL or broken Unicode');

/**
 * A display name in any script: letters, digits, marks and common signs. No controls, direction marks,
 * invisible letters or quotation marks: names appear in sentences on which users decide.
 */
export const Name = Text(64)
  .normalize('NFC')
  .regex(
    /^(?!.*\p{DI})[\p{L}\p{N}][\p{L}\p{M}\p{N} \-_#@/.|()+,:'&°%·]{0,63}$/u,
    "must be 1 to 64 letters, digits, spaces or -_#@/.|()+,:'&°%·, and begin with a letter or digit",
  )
  // For other dialects of regular expressions, which know no classes of Unicode: it lets other signs than ASCII pass.
  .meta({ pattern: '^[^\\x00-/:-@\\[-`{-\\x7f][^\\x00-\\x1f!"$*;<=>?\\[-^`{-\\x7f]{0,63}$' });

/** A code (docs/specification/objects.md, Names and codes): tenant codes, logins. */
export const Code = Text(32).regex(
  /^[A-Za-z0-9][A-Za-z0-9\-_#@/.|]{1,31}$/,
  'must be 2 to 32 letters (A to Z), digits or -_#@/.|',
);
