import type { z } from 'zod';

import type { Operation } from '../app.ts';
import { ById } from '../core/input/input.ts';
import { get, post, type Route } from '../route.ts';

const words = (noun: string): string => noun.replaceAll('_', ' ');

/**
 * Routes with permission and summary derived from the noun. Reads are interactive too: a token of an agent
 * must reveal neither the accounts nor their permissions.
 */
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
  const summary = `Answers one ${words(noun)}`;
  return get(
    path,
    { needs: `${noun}:get`, scope: 'interactive', risk: 'read', summary, input: ById },
    run,
  );
}

export function find<S extends z.ZodType, O>(
  path: string,
  noun: string,
  input: S,
  run: Operation<z.output<S>, O>,
): Route {
  const summary = `Answers ${words(noun)}s by what they belong to`;
  return get(
    path,
    { needs: `${noun}:list`, scope: 'interactive', risk: 'read', summary, input },
    run,
  );
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
    { needs: `${noun}:list`, scope: 'interactive', risk: 'read', summary, input },
    run,
  );
}
