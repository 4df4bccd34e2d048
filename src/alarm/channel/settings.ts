import { z } from 'zod';

/** The problems of settings on one line, without the values. */
export const problems = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => `${path.join('.') || 'settings'} ${message}`).join('; ');

/** Headers that the connection, the body or the signature sets; settings must not override them. */
const OURS =
  /^(host|content-(length|type|encoding)|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|date|via|forwarded|cookie2?|proxy-.*|sec-.*|x-forwarded-.*|webhook-.*)$/;
/** RFC 9110, 5.1 and 5.5, without obsolete text: no CR, no LF, nothing beyond ASCII. */
const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]{0,510}[\x21-\x7e])?$/;
const MAX_HEADERS = 16;

/** Headers as a tenant may set them, by name in lower case. */
export const Headers = z
  .record(z.string().toLowerCase(), z.string().regex(VALUE, 'must be printable ASCII'))
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > MAX_HEADERS)
      context.addIssue({ code: 'custom', message: `must be at most ${MAX_HEADERS}` });
    if (names.some((name) => !NAME.test(name) || OURS.test(name)))
      context.addIssue({ code: 'custom', message: 'must not hold a header the platform sets' });
    // Settings are stored and shown in clear text, so the secret must be a placeholder.
    if (headers['authorization'] !== undefined && !hasCredential(headers['authorization']))
      context.addIssue({ code: 'custom', message: 'must name authorization as {{credential}}' });
  })
  .default({});

const hasCredential = (value: string): boolean => value.includes('{{credential}}');
