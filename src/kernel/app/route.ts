import { z } from 'zod';

import { withActor } from '../../db/actor.ts';
import type { App, Caller, Operation, Scope } from './app.ts';

/** AI risk metadata of an endpoint (docs/specification/assistant.md 5), for the OpenAPI document. */
type Risk = {
  riskLevel: 'LOW' | 'MEDIUM' | 'HIGH';
  destructive: boolean;
  idempotent: boolean;
  openWorld: boolean;
};

/** One row of a center's endpoint table; authorization and OpenAPI are derived from it. */
export type Route = {
  method: 'get' | 'post';
  /** Below the center's prefix, e.g. `/device/add`. */
  path: string;
  /** Scope part of the permission code, e.g. `device:add`; `public` only for the listed few. */
  needs: string;
  /**
   * The scope a token or key needs. `interactive`: no token or key is enough; configuration, accounts,
   * users' decisions and their own writes need an interactive login.
   */
  scope: Scope | 'interactive';
  risk: Risk;
  summary: string;
  /** Why it is offered beside the contract; absent: the contract names it. */
  reason?: string;
  input: z.ZodType;
  /** Schema of the envelope's `data`; `z.void()`: the envelope has none. */
  output: z.ZodType;
  /** Envelope code of success; `R201` for a route that adds an entity. */
  code: 'R200' | 'R201';
  /**
   * A table instead of JSON: the body (`text/csv`, as field `csv` of the input) or the answer, whole or in pieces
   * (`Pieces`).
   */
  csv?: 'body' | 'answer' | 'stream';
  /** A Parquet file in pieces (`FilePieces`) instead of JSON. */
  parquet?: true;
  /** A file instead of JSON (`Download`). */
  download?: true;
  /**
   * The body is multipart/form-data with one part `file`, the field `file` of the input: its largest size in bytes,
   * which the route checks.
   */
  file?: number;
  /**
   * The body is JSON that its sender proves, the field `signed` of the input (`SignedBody`) with its text and headers,
   * for the operation to verify.
   */
  signed?: true;
  run(app: App, caller: Caller, raw: unknown, cookies: Cookies): Promise<unknown>;
};

/** An answer that is sent as it is made, after the operation has checked the call. */
export const Pieces = z.custom<AsyncIterable<string>>().meta({ type: 'string' });

/** The same of a file of bytes, each with the texts of users and devices that are in it. */
export const FilePieces = z
  .custom<AsyncIterable<FilePiece>>()
  .meta({ type: 'string', format: 'binary' });
export type FilePiece = { bytes: Buffer; texts: readonly string[] };

/** A file as an answer: browsers save it and never show it. */
export const Download = z
  .custom<{ fileName: string; contentType: string; content: Buffer | string }>()
  .meta({ type: 'string', format: 'binary' });
export type Download = z.output<typeof Download>;

/**
 * A body as its sender signed it, and the headers with the proof: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature` of Standard Webhooks, `x-pagerduty-signature` or `x-answer-secret`; empty where one is absent.
 */
export type SignedBody = {
  id: string;
  timestamp: string;
  signature: string;
  pagerduty: string;
  answerSecret: string;
  payload: string;
};

/** The cookies of a call, for the few operations that keep a session of a browser in one. */
export type Cookies = {
  /** The value that the browser sent; null without one. */
  read(name: string): string | null;
  /** Adds a Set-Cookie header to the answer. */
  set(cookie: string): void;
};

/** Those of a call that no browser makes. */
export const NO_COOKIES: Cookies = { read: () => null, set: () => {} };

const risks = {
  read: { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: false },
  /** Reads from the device itself: takes the device's time, and changes nothing. */
  ask: { riskLevel: 'LOW', destructive: false, idempotent: true, openWorld: true },
  add: { riskLevel: 'MEDIUM', destructive: false, idempotent: false, openWorld: false },
  update: { riskLevel: 'MEDIUM', destructive: false, idempotent: true, openWorld: false },
  remove: { riskLevel: 'HIGH', destructive: true, idempotent: true, openWorld: false },
  secret: { riskLevel: 'HIGH', destructive: false, idempotent: false, openWorld: false },
  device: { riskLevel: 'HIGH', destructive: true, idempotent: false, openWorld: true },
  chat: { riskLevel: 'MEDIUM', destructive: false, idempotent: false, openWorld: true },
} as const satisfies Record<string, Risk>;

type RouteRow<S extends z.ZodType, D extends z.ZodType> = Pick<Route, 'scope' | 'reason'> & {
  needs: string;
  risk: keyof typeof risks;
  summary: string;
  input: S;
  output: D;
};

const row =
  (method: Route['method']) =>
  <S extends z.ZodType, D extends z.ZodType>(
    path: string,
    { risk, ...rest }: RouteRow<S, D>,
    run: (
      ...call: [...Parameters<Operation<z.output<S>, z.output<D>>>, cookies: Cookies]
    ) => ReturnType<Operation<z.output<S>, z.output<D>>>,
  ): Route => ({
    ...rest,
    method,
    path,
    risk: risks[risk],
    code: risk === 'add' ? 'R201' : 'R200',
    run: (app, caller, raw, cookies) => {
      const given = rest.input.parse(raw);
      if (risk === 'read') return run(app, caller, given, cookies);
      const { principalId: id, name, via } = caller;
      const at = new Date(app.clock.now()).toISOString();
      return withActor({ id, name, via, at }, () => run(app, caller, given, cookies));
    },
  });

/** A route with its input in the query string. */
export const get = row('get');
/** A route with a JSON body; query parameters override fields of an object body, and are refused for secrets. */
export const post = row('post');
