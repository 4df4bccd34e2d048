import {
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { isRecord } from './record.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';
export const VIEWS = 'io.modelcontextprotocol/ui';
/** Of a view: HTML that speaks with its host as MCP Apps says. */
export const VIEW_TYPE = 'text/html;profile=mcp-app';

/** What a client declared: once per session until 2025-11-25, with every request since 2026-07-28. */
export type ClientOf = {
  has(capability: string): boolean;
  takesTasks: boolean;
  /** Whether it shows views; without this, nothing says that there are any. */
  showsViews: boolean;
};

export function clientOf(server: Server, ctx: ServerContext): ClientOf {
  const declared = server.getClientCapabilities();
  // Only the newer revision knows the extension.
  const isModern = ctx.mcpReq.envelope !== undefined;
  return {
    takesTasks: isModern && at(declared, ['extensions', TASKS]) !== undefined,
    showsViews: listed(at(declared, ['extensions', VIEWS, 'mimeTypes']), VIEW_TYPE),
    has: (capability) => at(declared, capability.split('.')) !== undefined,
  };
}

const listed = (list: unknown, item: string): boolean => Array.isArray(list) && list.includes(item);

function at(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return isRecord(value) && Object.hasOwn(value, name) ? at(value[name], rest) : undefined;
}

/** The error (-32021) for a client that did not declare the extension. */
export const needsTasks = () =>
  new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  });
