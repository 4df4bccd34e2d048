import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { ById } from '../../core/input/input.ts';
import { get, post, type Route } from '../../route.ts';

/** Restricts a route to interactive logins: its answer may hold a secret or personal data. */
export const onlyInteractive = (route: Route): Route => ({ ...route, scope: 'interactive' });

/** Rows of the endpoint table that differ only in their noun. */
const words = (noun: string): string => noun.replaceAll('_', ' ');

export function add<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Adds a ${words(noun)}; answers its id`;
  return post(
    path,
    { needs: `${noun}:add`, scope: 'interactive', risk: 'add', summary, input },
    run,
  );
}
export function update<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Changes the given fields of a ${words(noun)}`;
  return post(
    path,
    { needs: `${noun}:update`, scope: 'interactive', risk: 'update', summary, input },
    run,
  );
}
export function remove<O>(path: string, noun: string, run: Operation<ById, O>): Route {
  const summary = `Deletes a ${words(noun)} that is not in use`;
  return post(
    path,
    { needs: `${noun}:delete`, scope: 'interactive', risk: 'remove', summary, input: ById },
    run,
  );
}
export function byId<O>(path: string, noun: string, run: Operation<ById, O>): Route {
  return one(path, noun, ById, run);
}
export function find<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Answers ${words(noun)}s by what they belong to`;
  return get(path, { needs: `${noun}:list`, scope: 'svc:read', risk: 'read', summary, input }, run);
}
export function list<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Answers ${words(noun)}s`;
  return post(
    path,
    { needs: `${noun}:list`, scope: 'svc:read', risk: 'read', summary, input },
    run,
  );
}

/** One entity, by any key. */
export function one<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Answers one ${words(noun)}`;
  return get(path, { needs: `${noun}:get`, scope: 'svc:read', risk: 'read', summary, input }, run);
}
