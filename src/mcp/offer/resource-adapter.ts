import {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { ZodError } from 'zod';

import { counted } from '../../auth/agent/budget.ts';
import { marked, noteNames } from '../../auth/agent/marked.ts';
import { denialOf, type Limited, type Offer } from '../../auth/connection/denial.ts';
import { allows } from '../../auth/permission/permission.ts';
import type { App, Resource, ResourceBody } from '../../kernel/app/app.ts';
import { AppError, BadRequest, Forbidden, NotFound, Unprocessable } from '../../kernel/errors.ts';
import { labelOf } from '../request/answer.ts';
import { type McpCall, type McpCaller, refuseEnded } from '../request/caller.ts';
import { traced } from '../request/trace.ts';
import { type Found, isTemplate, resolve, uriOf } from './resource-uri.ts';

const JSON_TYPE = 'application/json';
const CURSOR = /^[1-9]\d{0,5}$/;
/** Characters of an unknown URI that the error repeats. */
const MAX_ECHO = 1_024;

/** How what it shows is noted. */
const LIST = { name: 'resources/list' };

/** Connections and the audit identify a resource by its URI, and a tool by its name. */
export const offerOf = ({ uri, permission, scope }: Resource): Offer => ({
  name: uri,
  permission,
  scope,
  isTool: false,
});

const isVisible = (caller: Limited, resource: Resource): boolean =>
  denialOf(caller, offerOf(resource)) === null;

const describe = ({ name, title, description, mimeType = JSON_TYPE }: Resource) => ({
  name,
  title,
  description,
  mimeType,
});

/** The templates that connection, permissions and scopes of the caller allow. */
export const listTemplates = (
  resources: readonly Resource[],
  caller: Limited,
): ListResourceTemplatesResult['resourceTemplates'] =>
  resources
    .filter((resource) => isTemplate(resource) && isVisible(caller, resource))
    .map((resource) => ({ uriTemplate: resource.uri, ...describe(resource) }));

/** One page of the resources the caller may read; the first begins with those without variables. */
export async function listResources(
  app: App,
  caller: McpCaller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  if (cursor !== undefined && !CURSOR.test(cursor)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown cursor');
  }
  return counted(app, caller, { calls: 1 }, () => pageOf(app, caller, Number(cursor ?? 1)));
}

async function pageOf(app: App, caller: McpCaller, page: number): Promise<ListResourcesResult> {
  const visible = app.resources.filter((resource) => isVisible(caller, resource));
  const fixed = page === 1 ? visible.filter((resource) => !isTemplate(resource)) : [];
  const resources = fixed.map((resource) => ({ uri: resource.uri, ...describe(resource) }));
  const names: string[] = [];
  let hasMore = false;
  for (const resource of visible) {
    const { list } = resource;
    if (!list || !allows(caller, list.permission)) continue;
    const found = await orProtocolError(app, () => list.page(app, caller, page));
    hasMore ||= found.hasMore;
    for (const { params, name } of found.entries) {
      const uri = uriOf(resource, params);
      names.push(name);
      resources.push({ uri, name, title: name, description: resource.title, mimeType: JSON_TYPE });
    }
  }
  await noteNames(app, caller, LIST, { field: 'resources[].name', names });
  return { resources, ...(hasMore ? { nextCursor: String(page + 1) } : {}) };
}

/** Errors answered as a missing resource, e.g. for a point of another device; others keep their message. */
const ABSENT = [Forbidden, NotFound, BadRequest, Unprocessable, ZodError];

/**
 * Reads a resource; permissions are checked and audited at every read. A missing resource, another tenant's
 * and one the caller may not read get the same answer.
 */
export async function readResource(
  app: App,
  { caller: known, present }: McpCall,
  uri: string,
): Promise<ReadResourceResult> {
  const found = resolve(app.resources, uri);
  const offer = found ? offerOf(found.resource) : undefined;
  const trace = traced(app, known, { name: uri, offer, input: uri });
  const reading = present(async (caller) => {
    const denial = offer && denialOf(caller, offer);
    if (!found || denial !== null) return { caller, denial };
    const content = await counted(app, caller, { calls: 1 }, () => bodyOf(app, caller, found));
    return { caller, content };
  });
  const { caller, denial, content } = await reading.catch((error: unknown) => {
    const code =
      error instanceof AppError ? error.code : error instanceof ZodError ? 'R404' : 'R500';
    trace(error instanceof Forbidden ? 'DENIED' : 'ERROR', code);
    if (ABSENT.some((kind) => error instanceof kind)) throw notFound(uri);
    return orProtocolError(app, () => Promise.reject(error));
  });
  if (content !== undefined) {
    trace('SUCCESS');
    return { contents: [{ uri, ...content, ...labelOf(found?.resource.untrusted?.fields) }] };
  }
  if (offer && denial === 'scope') {
    trace('DENIED', 'R403');
    throw new ProtocolError(
      ProtocolErrorCode.InvalidRequest,
      `This needs the scope ${offer.scope}`,
    );
  }
  trace(denial === 'connection' ? 'POLICY_DENIED' : 'DENIED', offer ? 'R403' : 'R404');
  refuseEnded(caller);
  throw notFound(uri);
}

async function bodyOf(app: App, caller: McpCaller, found: Found): Promise<ResourceBody> {
  const { resource, params } = found;
  if (resource.body) return resource.body(app, caller, params);
  const answer = await resource.read(app, caller, params);
  const text = JSON.stringify(
    await marked(app, caller, { ...resource, name: resource.uri }, answer),
  );
  return { mimeType: JSON_TYPE, text };
}

/** The code of 2026-07-28, which the SDK sends in the earlier revisions too; `data.uri` identifies it. */
const notFound = (uri: string) =>
  new ResourceNotFoundError(uri.slice(0, MAX_ECHO), 'Resource not found');

async function orProtocolError<T>(app: App, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) {
      throw new ProtocolError(ProtocolErrorCode.InternalError, error.message);
    }
    app.log.error({ error }, 'a resource failed unexpectedly');
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      'This failed for a reason inside the platform; trying again may help',
    );
  }
}
