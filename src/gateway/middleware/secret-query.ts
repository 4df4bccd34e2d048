import type { RequestHandler } from 'express';

import type { Route } from '../../kernel/app/route.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { camelKey } from '../../kernel/input/input.ts';
import { secretFields } from '../../kernel/input/secret.ts';

/** Addresses end in logs of proxies and histories of browsers: a secret in one is refused (400), right or wrong. */
export function noSecretInQuery({ input }: Pick<Route, 'input'>): RequestHandler[] {
  const secrets = new Set(secretFields(input));
  if (secrets.size === 0) return [];
  return [
    (req, _res, next) => {
      const name = Object.keys(req.query).find((key) => secrets.has(camelKey(key)));
      if (name !== undefined) {
        const why = 'must be in the body: URLs end up in logs';
        throw new BadRequest(`${name}: ${why}`, { fields: { [name]: why } });
      }
      next();
    },
  ];
}
