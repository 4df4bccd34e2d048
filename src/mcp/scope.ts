import { calledTool } from '../auth/connection/called-tool.ts';
import { denialOf, type Offer } from '../auth/connection/denial.ts';
import type { App, Tool } from '../kernel/app/app.ts';
import { offerOf } from './offer/resource-adapter.ts';
import { resolve } from './offer/resource-uri.ts';
import type { McpCaller } from './request/caller.ts';
import { isRecord } from './request/record.ts';
import { traced } from './request/trace.ts';

/** The missing scope of a request with this JSON body, or null; looked up before the SDK dispatches it. */
export function scopeToAskFor(app: App, caller: McpCaller, body: unknown): Tool['scope'] | null {
  const offers: readonly Pick<Tool, 'scope'>[] = [...app.tools, ...app.resources];
  const hasAll = offers.every(({ scope }) => caller.scopes?.includes(scope) ?? true);
  if (hasAll) return null;
  for (const message of Array.isArray(body) ? body : [body]) {
    const used = usedBy(app, message);
    // No scope is requested for an offer the caller may not use: it would stay hidden.
    if (!used?.offer || denialOf(caller, used.offer) !== 'scope') continue;
    traced(app, caller, { name: used.name, offer: used.offer, input: message })('DENIED', 'R403');
    return used.offer.scope;
  }
  return null;
}

function usedBy(app: App, message: unknown): { name: string; offer: Offer | undefined } | null {
  if (!isRecord(message) || !isRecord(message['params'])) return null;
  const { name, uri, arguments: input } = message['params'];
  if (message['method'] === 'tools/call' && typeof name === 'string') {
    const called = calledTool(app.tools, name, input);
    return { name: called.name, offer: called.tool };
  }
  if (message['method'] === 'resources/read' && typeof uri === 'string') {
    const found = resolve(app.resources, uri);
    return { name: uri, offer: found ? offerOf(found.resource) : undefined };
  }
  return null;
}
