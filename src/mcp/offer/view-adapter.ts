import type { ListResourcesResult, ReadResourceResult } from '@modelcontextprotocol/server';

import { denialOf, type Limited } from '../../auth/connection/denial.ts';
import type { App, Tool, View } from '../../kernel/app/app.ts';
import type { McpCall } from '../request/caller.ts';
import { VIEW_TYPE } from '../request/client.ts';
import { traced } from '../request/trace.ts';

/** Nothing is loaded and nothing is asked: the page has all it needs, and reaches the platform through its host alone. */
const ui = {
  csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
  prefersBorder: true,
};

/** The metadata by which a tool names its view; no view may call what proposes or withdraws. */
export function uiOf({ view, annotations }: Tool): { _meta?: Record<string, object> } {
  const said = {
    ...(view && { resourceUri: view.uri }),
    ...(!annotations.readOnlyHint && { visibility: ['model'] }),
  };
  return Object.keys(said).length === 0 ? {} : { _meta: { ui: said } };
}

/** The views of the tools that the caller may use. */
export function listViews(
  tools: readonly Tool[],
  caller: Limited,
): ListResourcesResult['resources'] {
  const views = new Map<string, View>();
  for (const tool of tools)
    if (tool.view && denialOf(caller, tool) === null) views.set(tool.view.uri, tool.view);
  return [...views.values()].map(({ uri, name, title, description }) => {
    return { uri, name, title, description, mimeType: VIEW_TYPE, _meta: { ui } };
  });
}

/** The page of a view, with the same text for every caller; null when the caller may use no tool with that view. */
export async function readView(
  app: App,
  { caller: known, present }: McpCall,
  uri: string,
): Promise<ReadResourceResult | null> {
  const { tool, page } = await present(async (caller) => {
    const found = app.tools.find((one) => one.view?.uri === uri && denialOf(caller, one) === null);
    return { tool: found, page: await found?.view?.page() };
  });
  if (page === undefined) return null;
  traced(app, known, { name: uri, offer: tool, input: uri })('SUCCESS');
  return { contents: [{ uri, mimeType: VIEW_TYPE, text: page, _meta: { ui } }] };
}
