import type { z } from 'zod';

import type { Bus } from './bus/bus.ts';
import type { Clock } from './core/clock.ts';
import type { Config } from './core/config.ts';
import type { EgressBySink } from './core/egress/sink.ts';
import type { Log } from './core/log/log.ts';
import type { Keys } from './core/secret/keys.ts';
import type { Database } from './db/connect.ts';

/** Everything an operation works with; built once in `main.ts`, handed to each call. */
export type App = {
  config: Config;
  clock: Clock;
  log: Log;
  db: Database;
  bus: Bus;
  keys: Keys;
  /** Every request that leaves for an address a tenant gave, by what it is sent for. */
  egress: EgressBySink;
  /** The one registry behind MCP and chat; empty where the agentic parts do not run. */
  tools: readonly Tool[];
  /** What agents read over MCP; empty where the tools are. */
  resources: readonly Resource[];
  /** Ends the process at a named point when `SVC_CRASH_AT` says so (test environment only). */
  crashAt(point: string): void;
};

/** What a token or key is limited to; none of them lets it confirm, configure or touch accounts. */
export type Scope = 'svc:read' | 'svc:read-device' | 'svc:propose' | 'svc:chat';

/** Who calls, in which tenant. Operations cannot be called without one. */
export type Caller = {
  tenantId: string;
  principalId: string;
  principalType: 'USER' | 'SERVICE_ACCOUNT' | 'SYSTEM';
  /** Login or account name, for display and audit. */
  name: string;
  /** `login`: a human's interactive login; only such a caller may confirm or reject an Action. */
  via: 'login' | 'oauth' | 'key' | 'model' | 'system';
  /** The OAuth client, the key by its prefix, or the conversation, that acts for the principal. */
  clientId?: string;
  /** Of a public call, where it came from (`sourceOf`): an address, or a network of one subscriber. */
  source?: string;
  /** Of a model: the call it makes. */
  toolCallId?: string;
  /** Scopes of a token or key; absent for logins, which are limited by permissions alone. */
  scopes?: readonly string[];
  /** Permission codes the principal holds in this tenant; `*` means all within the tenant. */
  permissions: ReadonlySet<string>;
};

export type Operation<I, O> = (app: App, caller: Caller, input: I) => Promise<O>;

/** Hints of the MCP specification, required so that an absent one is never a silent gap. */
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

/** Something an agent reads by its URI; what it is made of is data, never a capability. */
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
  /** Those that exist, page by page from 1; without it only the template is told. */
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
