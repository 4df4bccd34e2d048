import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';

/** The one way out of the platform: addresses that are not public are refused unless the operator allows them. */
export type Egress = {
  /**
   * Sends one request; redirects are refused and nothing is retried. Throws EgressRefused for a target that is
   * not allowed, and what undici's fetch throws.
   */
  fetch(url: string | URL, init: RequestInit & { signal: AbortSignal }): Promise<Response>;
  /** For requests over node:http(s) that stream: connects to allowed addresses only. Throws EgressRefused. */
  agentFor(url: URL): HttpAgent | HttpsAgent;
  close(): Promise<void>;
};
