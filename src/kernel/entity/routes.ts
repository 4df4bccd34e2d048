import { z } from 'zod';

import type { Operation, Scope } from '../app/app.ts';
import { get, post, type Route } from '../app/route.ts';
import { ById, ByIds } from '../input/input.ts';
import { AnswerId, pageOfAnswers } from './answer.ts';

/** What an operation without an answer returns; the envelope then has no `data`. */
const Nothing = z.void();

type Noun<A, D> = {
  /** In permissions and sentences, e.g. `command_param`. */
  noun: string;
  answer: A;
  /** What its removal answers; absent: nothing. */
  removed?: D;
  /** Scope of its reads; its changes always need an interactive login. */
  reads: Scope | 'interactive';
};

/**
 * The usual rows of a center's endpoint table for one noun: permission, risk, answer and, unless it is given,
 * the summary follow from the noun.
 */
export function routesOf<A extends z.ZodType, D extends z.ZodType = typeof Nothing>({
  noun,
  answer,
  removed,
  reads,
}: Noun<A, D>) {
  const words = noun.replaceAll('_', ' ');
  const read = (verb: 'get' | 'list', summary: string) =>
    ({ needs: `${noun}:${verb}`, scope: reads, risk: 'read', summary }) as const;
  const write = (verb: string, risk: 'add' | 'update' | 'remove', summary: string) =>
    ({ needs: `${noun}:${verb}`, scope: 'interactive', risk, summary }) as const;
  return {
    add: <S extends z.ZodType>(
      path: string,
      input: S,
      run: Operation<z.output<S>, string>,
      summary = `Adds a ${words}; answers its id`,
    ): Route => post(path, { ...write('add', 'add', summary), input, output: AnswerId }, run),

    update: <S extends z.ZodType>(
      path: string,
      input: S,
      run: Operation<z.output<S>, void>,
      summary = `Changes the given fields of a ${words}`,
    ): Route => post(path, { ...write('update', 'update', summary), input, output: Nothing }, run),

    remove: (
      path: string,
      run: Operation<ById, z.output<D>>,
      summary = `Deletes a ${words} that is not in use`,
    ): Route =>
      post(
        path,
        { ...write('delete', 'remove', summary), input: ById, output: removed ?? Nothing },
        run,
      ),

    byId: (
      path: string,
      run: Operation<ById, z.output<A>>,
      summary = `Answers one ${words}`,
    ): Route => get(path, { ...read('get', summary), input: ById, output: answer }, run),

    /** One entity, by any key. */
    one: <S extends z.ZodType>(
      path: string,
      input: S,
      run: Operation<z.output<S>, z.output<A>>,
      summary = `Answers one ${words}`,
    ): Route => get(path, { ...read('get', summary), input, output: answer }, run),

    /** Some entities, by what they belong to. */
    of: <S extends z.ZodType>(
      path: string,
      input: S,
      run: Operation<z.output<S>, z.output<A>[]>,
      summary = `Answers ${words}s by what they belong to`,
    ): Route => get(path, { ...read('list', summary), input, output: z.array(answer) }, run),

    byIds: (
      path: string,
      run: Operation<ByIds, Record<string, z.output<A>>>,
      summary = `Answers ${words}s by id; those that do not exist are left out`,
    ): Route =>
      post(
        path,
        { ...read('list', summary), input: ByIds, output: z.record(z.string(), answer) },
        run,
      ),

    page: <S extends z.ZodType>(
      path: string,
      input: S,
      run: Operation<z.output<S>, z.output<ReturnType<typeof pageOfAnswers<A>>>>,
      summary = `Answers ${words}s`,
    ): Route => post(path, { ...read('list', summary), input, output: pageOfAnswers(answer) }, run),
  };
}
