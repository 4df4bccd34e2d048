import type { z } from 'zod';

import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../db/connect.ts';
import type { Clock } from '../clock.ts';
import type { EgressBySink } from '../egress/sink.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Config } from '../process/config.ts';
import type { Log } from '../process/log.ts';
import type { Keys } from '../secret.ts';
import type { Slots } from '../slot.ts';
import type { Content, Exchange, Reply, Task, Waiting } from './exchange.ts';

/** Dependencies of every operation; built once in `platform.ts`. */
export type App = {
  config: Config;
  clock: Clock;
  log: Log;
  /** What can be counted and seen from outside (`/metrics`). */
  metrics: Metrics;
  db: Database;
  bus: Bus;
  keys: Keys;
  /** HTTP clients for addresses that tenants configure, one per purpose. */
  egress: EgressBySink;
  /** State in memory of this App alone; a center uses the slots of its own folders. */
  of: Slots;
  /** The tool registry, shared by MCP and chat. */
  tools: readonly Tool[];
  /** The resources that agents read over MCP. */
  resources: readonly Resource[];
  /** The prompts that agents offer to their users over MCP. */
  prompts: readonly Prompt[];
  /** What a program can load for its model over MCP. */
  skills: readonly Skill[];
  /** What a task of MCP can be. */
  tasks: readonly TaskKind[];
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
  /** Of a call by a model: what asked in the chat for the principal. */
  chatClientId?: string;
  /** Of a public call, its source (`sourceOf`): an address, or the network of one subscriber. */
  source?: string;
  /** Set for calls by a model: the id of its tool call. */
  toolCallId?: string;
  /** Scopes of a token or key; absent for logins, which are limited by permissions alone. */
  scopes?: readonly string[];
  /** The plant's time zone (IANA name), in which answers write times (`inZone`); absent: UTC. */
  timezone?: string;
  /** When its token or key ends, in ms since the epoch; absent where none identifies it. */
  expiresAt?: number;
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

/** A text of a device or user in an answer. */
export type UntrustedText = {
  /** Where in the answer: `records[].deviceName`. */
  field: string;
  /** Device and point of the record; empty for others. */
  of: string;
  text: string;
  /** More than a name (src/kernel/sentence/free-text.ts): it could instruct a reader. */
  isFree: boolean;
};

/** What of an answer is of devices and users, and never an instruction. */
export type Untrusted = {
  fields: readonly string[];
  texts(answer: unknown): UntrustedText[];
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
  /** In the list of tools, which has a budget, or found through it. */
  listed: 'direct' | 'found';
  /** Only of a tool that leads to others: open to every caller that may use one of them. */
  opens?: Opens;
  /** Shows its answers to a person, in programs that can. */
  view?: View;
  /** Absent: nothing is. */
  untrusted?: Untrusted;
  /** True: over MCP it is answered as a task or not at all. */
  onlyAsTask?: boolean;
  /** Parses `input`; throws AppError subclasses and ZodError. Without `waiting` its progress goes nowhere. */
  run(
    app: App,
    caller: Caller,
    input: unknown,
    waiting?: Waiting,
  ): Promise<Record<string, unknown>>;
  /** Over MCP in place of `run`, for an answer in rounds or as a task. */
  reply?(app: App, caller: Caller, input: unknown, exchange: Exchange): Promise<Reply>;
};

type Opens = {
  tools: readonly Tool[];
  /** The call that arguments mean, null for those that mean none; absent: the tool runs itself. */
  call?(input: unknown): MeantCall | null;
};

/** The call of another tool; `readAs` says what of it was read otherwise than it was given. */
export type MeantCall = { name: string; input: unknown; readAs: readonly string[] };

/** A page for the answers of a tool (MCP Apps): the same for everybody, as the answers come from the program. */
export type View = {
  /** `ui://…` */
  uri: string;
  name: string;
  title: string;
  description: string;
  /** One HTML document that loads nothing. */
  page(): Promise<string>;
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
  untrusted?: Untrusted;
  /** Lists the existing entries, pages from 1; without it only the URI template is listed. */
  list?: ResourceList;
  /** Values for a variable of the URI. */
  complete?: Record<string, Completer>;
  /** Keys of the changes that alter what it says (`keysOf` in src/kernel/feed); throws ZodError. Without it none does. */
  follows?(params: unknown): string[];
  /** Parses `params`; throws AppError subclasses and ZodError. */
  read(app: App, caller: Caller, params: unknown): Promise<Record<string, unknown>>;
  /** Of its content; JSON when absent. */
  mimeType?: string;
  /** In place of the JSON of `read`. */
  body?(app: App, caller: Caller, params: unknown): Promise<ResourceBody>;
};

export type ResourceBody = { mimeType: string } & ({ text: string } | { blob: string });

/** Values that begin with what was typed, at most 100. */
export type Completer = (app: App, caller: Caller, typed: string) => Promise<string[]>;

/** A text that a person picks in the agent's program; never data of a device or user by itself. */
export type Prompt = {
  name: string;
  title: string;
  description: string;
  permission: string;
  scope: 'svc:read';
  arguments: readonly PromptArgument[];
  messages(
    app: App,
    caller: Caller,
    given: Record<string, string>,
    exchange: Exchange,
  ): Promise<Content[] | Extract<Reply, { kind: 'questions' }>>;
};

/** Instructions in Markdown (SEP-2640); `name` in small letters, digits and hyphens. */
export type Skill = {
  name: string;
  description: string;
  permission: string;
  scope: 'svc:read';
  text: string;
  /** What its text links to, by the path below the skill. */
  references: Readonly<Record<string, string>>;
};

type PromptArgument = {
  name: string;
  description: string;
  required: boolean;
  complete?: Completer;
};

/** Answers of unknown ids are null; an id is unknown to a caller that may not see it. */
export type TaskKind = {
  /** The tool that makes them. */
  name: string;
  permission: string;
  scope: Tool['scope'];
  /** Of the answer that it ends with. */
  untrusted?: Untrusted;
  /** `has` says what the program can do. */
  get(app: App, caller: Caller, taskId: string, has: Exchange['has']): Promise<Task | null>;
  /** Takes answers to the questions of a task. */
  update(
    app: App,
    caller: Caller,
    taskId: string,
    answers: Record<string, unknown>,
  ): Promise<true | null>;
  cancel(app: App, caller: Caller, taskId: string): Promise<true | null>;
};

export type ResourceList = {
  permission: string;
  page(
    app: App,
    caller: Caller,
    page: number,
  ): Promise<{ entries: { params: Record<string, string>; name: string }[]; hasMore: boolean }>;
};
