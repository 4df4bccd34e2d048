import type { RequestHandler } from 'express';

import type { Route } from '../../kernel/app/route.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { camelKey } from '../../kernel/input/input.ts';
import { secretFields } from '../../kernel/input/secret.ts';

/** Addresses end in logs of proxies and histories of browsers: a secret in one is refused (400), right or wrong. */
export function noSecretInQuery({ input }: Pick<Route, 'input'>): RequestHandler {
  let secrets: Set<string> | undefined;
  return (req, _res, next) => {
    if (!req.url.includes('?')) return next();
    // Found at the first need: a start would wait for those of hundreds of routes.
    const found = (secrets ??= new Set(secretFields(input)));
    const name = Object.keys(req.query).find((key) => found.has(camelKey(key)));
    if (name !== undefined) {
      const why = 'must be in the body: URLs end up in logs';
      throw new BadRequest(`${name}: ${why}`, { fields: { [name]: why } });
    }
    return next();
  };
}
