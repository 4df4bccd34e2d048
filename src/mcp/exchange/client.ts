import {
  MissingRequiredClientCapabilityError,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';

import { isRecord } from '../record.ts';

export const TASKS = 'io.modelcontextprotocol/tasks';

/** What a client declared: once per session until 2025-11-25, with every request since 2026-07-28. */
export type ClientOf = { has(capability: string): boolean; takesTasks: boolean };

export function clientOf(server: Server, ctx: ServerContext): ClientOf {
  const declared = server.getClientCapabilities();
  // Only the newer revision knows the extension.
  const isModern = ctx.mcpReq.envelope !== undefined;
  return {
    takesTasks: isModern && at(declared, ['extensions', TASKS]) !== undefined,
    has: (capability) => at(declared, capability.split('.')) !== undefined,
  };
}

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
