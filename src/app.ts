import type { z } from 'zod';

import type { Bus } from './bus/bus.ts';
import type { Caches } from './caches.ts';
import type { Clock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import type { EgressBySink } from './core/egress/sink.ts';
import type { Log } from './core/log/log.ts';
import type { Keys } from './core/secret/keys.ts';
import type { Database } from './db/connect.ts';

/** Dependencies of every operation; built once in `platform.ts`. */
export type App = {
  config: Config;
  clock: Clock;
  log: Log;
  db: Database;
  bus: Bus;
  keys: Keys;
  /** HTTP clients for addresses that tenants configure, one per purpose. */
  egress: EgressBySink;
  /** State in memory, of this App alone; a center uses the entries of its own rooms. */
  caches: Caches;
  /** The tool registry, shared by MCP and chat. */
  tools: readonly Tool[];
  /** The resources that agents read over MCP. */
  resources: readonly Resource[];
  /** Ends the process at the point that `SVC_CRASH_AT` names (test environment only). */
  crashAt(point: string): void;
};

/** Limits a token or key; no scope allows to confirm, to configure or to change accounts. */
export type Scope = 'svc:read' | 'svc:read-device' | 'svc:propose' | 'svc:chat';

/** Principal and tenant of a call; every operation requires one. */
export type Caller = {
  tenantId: string;
  principalId: string;
  principalType: 'USER' | 'SERVICE_ACCOUNT' | 'SYSTEM';
  /** Login or account name, for display and audit. */
  name: string;
  /** `login`: a human's interactive login; only such a caller may confirm or reject an Action. */
  via: 'login' | 'oauth' | 'key' | 'model' | 'system';
  /** What acts for the principal: the OAuth client, the key's prefix, or the conversation. */
  clientId?: string;
  /** Of a public call, its source (`sourceOf`): an address, or the network of one subscriber. */
  source?: string;
  /** Set for calls by a model: the id of its tool call. */
  toolCallId?: string;
  /** Scopes of a token or key; absent for logins, which are limited by permissions alone. */
  scopes?: readonly string[];
  /** The plant's time zone (IANA name), in which answers write times (`inZone`); absent: UTC. */
  timezone?: string;
  /** Version of the tenant at which these facts were read; absent where the platform itself acts. */
  version?: string;
  /** Permission codes the principal holds in this tenant; `*` means all within the tenant. */
  permissions: ReadonlySet<string>;
};

export type Operation<I, O> = (app: App, caller: Caller, input: I) => Promise<O>;

/** Hints of the MCP specification; all required, so that none is left out by mistake. */
export type ToolAnnotations = {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
};

/** One method of one of the ten tool classes (docs/specification/tools.md, Built-in assistant tools). */
export type Tool = {
  name: string;
  title: string;
  domain: string;
  description: string;
  /** Full permission code, e.g. `svc-center-manager:device:list`; checked at every call. */
  permission: string;
  /** OAuth scope a bearer token needs. */
  scope: Exclude<Scope, 'svc:chat'>;
  input: z.ZodObject;
  output: z.ZodObject;
  annotations: ToolAnnotations;
  /** Parses `input`; throws AppError subclasses and ZodError. */
  run(app: App, caller: Caller, input: unknown): Promise<Record<string, unknown>>;
};

/** Data that an agent reads by its URI; never grants a capability. */
export type Resource = {
  /** `svc://…`, with `{name}` in place of each field of `params`. */
  uri: string;
  name: string;
  title: string;
  domain: string;
  description: string;
  /** Full permission code; checked at every read. */
  permission: string;
  scope: 'svc:read';
  params: z.ZodObject;
  output: z.ZodObject;
  /** Lists the existing entries, pages from 1; without it only the URI template is listed. */
  list?: ResourceList;
  /** Parses `params`; throws AppError subclasses and ZodError. */
  read(app: App, caller: Caller, params: unknown): Promise<Record<string, unknown>>;
};

export type ResourceList = {
  permission: string;
  page(
    app: App,
    caller: Caller,
    page: number,
  ): Promise<{ entries: { params: Record<string, string>; name: string }[]; hasMore: boolean }>;
};
