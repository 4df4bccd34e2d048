import type { Subscription } from './subscription.ts';

/** Of the protocol servers of sessions; each as long as the token that asked for it last. */
export const subscriptions = new WeakMap<object, Subscription>();

/** Ends what a session that ends is subscribed to. */
export function unsubscribeAll(server: object): void {
  const subscription = subscriptions.get(server);
  subscriptions.delete(server);
  subscription?.end();
}

/** The URIs that a session is subscribed to. */
export const followedBy = (server: object): string[] => subscriptions.get(server)?.uris() ?? [];
