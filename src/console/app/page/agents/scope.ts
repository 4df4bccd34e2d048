import { agentsWords } from '../../word/agents.ts';

/** What a scope lets a program do, in words; the scope itself where it is not known. */
export function scopeOf(scope: string): string {
  return Object.entries(agentsWords().scopes).find(([name]) => name === scope)?.[1] ?? scope;
}
