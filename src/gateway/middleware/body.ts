import { setImmediate } from 'node:timers/promises';

import type { Request, RequestHandler, Response } from 'express';

import { sourceAt } from '../../auth/oauth/store/body.ts';
import type { App, Caller } from '../../kernel/app/app.ts';
import type { Route, SignedBody } from '../../kernel/app/route.ts';
import { AppError, BadRequest } from '../../kernel/errors.ts';
import { readFilePart } from '../../kernel/input/multipart.ts';
import {
  hasBody,
  JSON_BYTES,
  PUBLIC_BYTES,
  readBody,
  type Reading,
  readJson,
} from '../../kernel/request/body.ts';

/** Largest table (docs/specification/endpoints.md, Limits of bodies). */
const TABLE_BYTES = 20 * 1024 * 1024;
/** A webhook of a pager's service: PagerDuty keeps to 55 KB. */
const SIGNED_BYTES = 64 * 1024;
/** Of the multipart framing beside the file, which the route limits itself. */
const FRAMING_BYTES = 1024 * 1024;

const TABLE = 'text/csv';
const FORM = 'multipart/form-data';
const JSON_TYPE = 'application/json';

type Kind = Pick<Route, 'method' | 'needs' | 'csv' | 'file' | 'signed'>;

/** Whether a route takes bodies that are larger than JSON. */
export const isLarge = ({ csv, file }: Kind): boolean => file !== undefined || csv === 'body';

/** Largest body of a route in bytes, whatever its type; 0 for a route that reads none. */
export function mostBytes({ method, needs, csv, file, signed }: Kind): number {
  if (method === 'get') return 0;
  if (file !== undefined) return file + FRAMING_BYTES;
  if (csv === 'body') return TABLE_BYTES;
  if (signed) return SIGNED_BYTES;
  return needs === 'public' ? PUBLIC_BYTES : JSON_BYTES;
}

/** Reads the body of a route after its caller is known: JSON, or what the route takes instead. Nothing for a GET. */
export function routeBody(app: App, route: Kind): RequestHandler[] {
  const limit = mostBytes(route);
  if (limit === 0) return [];
  if (route.file !== undefined) return [formBody(app, limit)];
  if (route.signed) return [signedBody(app, limit)];
  const json = jsonBody(app, Math.min(limit, JSON_BYTES));
  return route.csv === 'body' ? [tableBody(app, limit, json)] : [json];
}

/** JSON of at most `limit` bytes; 415 for another type. */
export const jsonBody =
  (app: App, limit: number): RequestHandler =>
  async (req, res, next) => {
    if (hasBody(req)) {
      if (req.is(JSON_TYPE) === false) throw wrongType(JSON_TYPE);
      decoderOf(req, /^utf-?8$/i);
      req.body = await readJson(reading(app, req, res, limit));
    }
    next();
  };

/** The bytes of a body of any type, to be passed on. */
export const anyBody =
  (app: App, limit: number): RequestHandler =>
  async (req, res, next) => {
    if (hasBody(req)) req.body = await readBody(reading(app, req, res, limit));
    next();
  };

const tableBody =
  (app: App, limit: number, otherwise: RequestHandler): RequestHandler =>
  async (req, res, next) => {
    if (req.is(TABLE)) {
      const decoder = decoderOf(req);
      const bytes = await readBody(reading(app, req, res, limit));
      await setImmediate();
      req.body = decoder.decode(bytes);
      await setImmediate();
      next();
    } else await otherwise(req, res, next);
  };

const formBody =
  (app: App, limit: number): RequestHandler =>
  async (req, res, next) => {
    const contentType = req.get('content-type') ?? '';
    if (!contentType.toLowerCase().startsWith(FORM)) throw wrongType(FORM);
    const bytes = await readBody(reading(app, req, res, limit));
    if (bytes.length === 0) throw new BadRequest('The body is empty');
    req.body = { file: readFilePart(contentType, bytes, 'file') };
    next();
  };

const signedBody =
  (app: App, limit: number): RequestHandler =>
  async (req, res, next) => {
    if (req.is(JSON_TYPE) === false) throw wrongType(JSON_TYPE);
    const bytes = hasBody(req) ? await readBody(reading(app, req, res, limit)) : Buffer.alloc(0);
    const header = (name: string): string => req.get(name) ?? '';
    const signed: SignedBody = {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      pagerduty: header('x-pagerduty-signature'),
      answerSecret: header('x-answer-secret'),
      payload: bytes.toString(),
    };
    req.body = { signed };
    next();
  };

function reading(app: App, req: Request, res: Response, limit: number): Reading {
  const caller: Caller | undefined = res.locals['caller'];
  const sender = { source: sourceAt(res), tenantId: caller?.tenantId };
  return { req, res, limit, sender, app };
}

/** Of the charset that the type names; 415 for one that is unknown or not among `those`. */
function decoderOf(req: Request, those = /./): InstanceType<typeof TextDecoder> {
  const [, charset = 'utf-8'] =
    /;\s*charset="?([^\s";]+)/i.exec(req.get('content-type') ?? '') ?? [];
  try {
    if (those.test(charset)) return new TextDecoder(charset);
  } catch {
    // Unknown: as one that is not taken.
  }
  throw new AppError(415, 'R415', `The charset ${charset.slice(0, 40)} is not supported here`);
}

const wrongType = (type: string): AppError => new AppError(415, 'R415', `The body must be ${type}`);
