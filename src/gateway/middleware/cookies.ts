import type { Request, Response } from 'express';

import type { Cookies } from '../../kernel/app/route.ts';

/** The cookies of a request and its answer. */
export const cookiesOf = (req: Request, res: Response): Cookies => ({
  read: (name) => cookieOf(req, name),
  set: (cookie) => res.append('set-cookie', cookie),
});

/** The value of a cookie as it was sent, the first of its name; null without one. */
export function cookieOf(req: Request, name: string): string | null {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1) || null;
}
