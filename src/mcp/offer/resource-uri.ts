import type { Resource } from '../../kernel/app/app.ts';

type Route = { resource: Resource; pattern: RegExp };

const routes = new WeakMap<readonly Resource[], Route[]>();

/** A variable matches one part of the path; its values are ids. */
const routeOf = (resource: Resource): Route => ({
  resource,
  pattern: new RegExp(`^${resource.uri.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]{1,64})')}$`),
});

export const isTemplate = ({ uri }: Resource): boolean => uri.includes('{');

export type Found = { resource: Resource; params: Record<string, string> };

/** The first resource that matches `uri`, with the values of its variables; null if none does. */
export function resolve(resources: readonly Resource[], uri: string): Found | null {
  const known = routes.get(resources) ?? resources.map(routeOf);
  routes.set(resources, known);
  for (const { resource, pattern } of known) {
    const found = pattern.exec(uri);
    if (found) return { resource, params: { ...found.groups } };
  }
  return null;
}

/** The URI of `resource` with these parameters. */
export const uriOf = ({ uri }: Resource, params: Record<string, string>): string =>
  uri.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
