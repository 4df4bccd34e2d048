import type { z } from 'zod';

import type { Resource } from '../../src/kernel/app/app.ts';
import { tools } from '../index.ts';
import { defineResource } from './define.ts';

type Address = Pick<Resource, 'uri' | 'name' | 'title' | 'description'> & {
  params: z.ZodObject;
  list?: Resource['list'];
  follows?(params: Record<string, unknown>): string[];
};

/** A resource with the answer, domain and permission of the tool of this name. */
export function readBy(toolName: string, { list, ...address }: Address): Resource {
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) throw new Error(`no tool is called ${toolName}`);
  const { domain, permission, output } = tool;
  return defineResource({
    ...address,
    ...(list ? { list } : {}),
    domain,
    permission,
    output,
    read: (app, caller, params) => tool.run(app, caller, params),
  });
}
